import { init as initWith, initParts } from '../init/init.ts'

export const parts = await initParts()

type Given = Parameters<typeof initWith> extends [unknown, ...infer Rest] ? Rest : never

/** `sluice init` with the guests of this build. */
export const init = (...given: Given): ReturnType<typeof initWith> => initWith(parts, ...given)
