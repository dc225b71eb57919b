import { dirname, relative, resolve } from 'node:path'
import { readDirectory } from '../../api/directory.ts'
import { loadConfiguration } from '../../config/load.ts'
import { directoryYaml } from '../../config/directory-file.ts'
import { writeWhole } from '../../run/plan-file.ts'
import type { Run } from '../definitions.ts'
import { EXIT } from '../exit.ts'
export const run: Run = async () => EXIT.done
