import type { FileFacts } from '../ports/files.ts'

/** No file exists. */
export const NO_FILES: FileFacts = {
  windows: false,
  home: () => '/',
  configured: async () => undefined,
  look: () => ({
    isHere: false,
    isFrom: false,
    programs: [],
    own: [],
    mayBeHere: false,
    names: { folder: undefined, files: [] },
    isThere: () => Promise.resolve(false),
    bases: async () => [],
    follow: async () => undefined,
    placesOf: async () => [],
    entriesIn: async () => [],
    secondNames: async () => [],
    linksIn: async () => new Set(),
  }),
}
