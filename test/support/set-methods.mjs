// gitlab-ci-local needs a newer Node than the oldest one that we support. This adds what it needs.
Set.prototype.union ??= function union(other) {
  return new Set([...this, ...other])
}
Set.prototype.difference ??= function difference(other) {
  return new Set([...this].filter(one => !other.has(one)))
}
Set.prototype.intersection ??= function intersection(other) {
  return new Set([...this].filter(one => other.has(one)))
}
