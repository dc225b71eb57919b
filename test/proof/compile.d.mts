export function scratch(name: string): string
export function compile(out: string): void
