const { writeSync } = require('node:fs')

/** Loaded with `--require`: every file that was loaded until the end, on stderr. */
process.on('exit', () =>
  writeSync(
    2,
    Object.keys(require.cache)
      .map(path => `loaded ${path}\n`)
      .join(''),
  ),
)
