export { shownGiver } from './audience.ts'
