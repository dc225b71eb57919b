export {
  type ChangedSet as MovingSet,
  isSentAgain,
  type SeenValue as Held,
  type SetState as PlacedSet,
} from './set-state.ts'
