// gitlab-ci-local is written for newer Nodes than the oldest that we support. What it needs of them:
Set.prototype.union ??= function union(other) {
  return new Set([...this, ...other])
}
Set.prototype.difference ??= function difference(other) {
  return new Set([...this].filter(one => !other.has(one)))
}
Set.prototype.intersection ??= function intersection(other) {
  return new Set([...this].filter(one => other.has(one)))
}
