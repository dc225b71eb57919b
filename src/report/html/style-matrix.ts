/** The table of what reaches what: its head and its first column stay in sight. */
export const MATRIX_STYLE = `
.legend { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin-bottom: .5rem; color: var(--quiet); }
.legend .cell { display: inline-block; min-width: 1.6em; text-align: center; border-radius: 4px; }
.choice { margin: 0 0 .5rem; }
section > .scroll:has(.matrix) { overflow: auto; max-height: 80vh; border: 1px solid var(--line); border-radius: 8px; }
.matrix { font-size: .9rem; border-collapse: separate; border-spacing: 0; }
.matrix thead th { position: sticky; top: 0; z-index: 1; background: var(--raised); border-bottom: 1px solid var(--line); padding: .5rem .3rem; vertical-align: bottom; font-weight: 500; }
.matrix thead div { writing-mode: vertical-rl; transform: rotate(180deg); max-height: 14rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; margin: 0 auto; }
.matrix thead .tag { border: 0; padding: 0; color: var(--quiet); font-weight: 400; }
.matrix thead .corner { left: 0; z-index: 2; text-align: left; padding-left: .75rem; }
.matrix tbody th { position: sticky; left: 0; background: var(--ground); text-align: left; font-weight: 400; padding: .15rem .75rem; border-right: 1px solid var(--line); white-space: nowrap; max-width: 22rem; overflow: hidden; text-overflow: ellipsis; }
.matrix td { min-width: 2.1rem; text-align: center; padding: .1rem .2rem; border-right: 1px solid color-mix(in srgb, var(--line) 45%, transparent); }
.matrix tbody tr > * { border-bottom: 1px solid color-mix(in srgb, var(--line) 45%, transparent); }
.matrix tbody tr:hover > * { background-color: var(--raised); }
.matrix tbody .tag { font-size: .7rem; color: var(--tilde); }
.cell { font-family: ui-monospace, monospace; font-weight: 700; }
.matrix tbody .cell.added, .legend .added { color: var(--plus); background: var(--plus-ground); }
.matrix tbody .cell.removed, .legend .removed { color: var(--minus); background: var(--minus-ground); }
.matrix tbody .cell.changes, .legend .changes { color: var(--tilde); background: var(--tilde-ground); }
.cell.same { color: var(--quiet); font-weight: 400; } .cell.through { font-weight: 400; }
.groups { margin-top: .5rem; } .groups li { padding: .2rem 0; }
.effects > ul > li { padding: .4rem 0; border-bottom: 1px solid var(--line); } .effects strong { font-weight: 600; }
.effects ul ul { list-style: disc; padding-left: 1.5rem; }`
