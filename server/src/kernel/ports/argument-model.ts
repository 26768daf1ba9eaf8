import type { Json, JsonObject } from '../contract/json.ts'

/** Fills a tool's arguments from what a user wrote. Its answer is data, which the caller checks. */
export interface ArgumentModel {
  /** Undefined if it gave no JSON in time. */
  propose(asked: {
    readonly title: string
    readonly purpose: string
    readonly schema: JsonObject
    readonly prompt: string
  }): Promise<Json | undefined>
}
