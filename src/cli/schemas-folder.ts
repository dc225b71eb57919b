/** The published schemas in the package. This file stands where every form of the program is as deep: `cli`, or its bundle. */
export const SCHEMAS = new URL('../../schemas/', import.meta.url)
