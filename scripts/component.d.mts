export function componentOf(pipeline: string): string
