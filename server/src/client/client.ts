import type { StreamEvent } from './events.ts'
import { follow, type FollowOptions } from './follow.ts'
import { ProblemError } from './problem-error.ts'
import type { Routes } from './routes.ts'
import { createTransport, readAnswer, type ClientOptions, type Method, type SendOptions } from './transport.ts'

export { eventsIn, type StreamEvent } from './events.ts'
export type { FollowOptions } from './follow.ts'
export { isProblem, ProblemError, type ClientProblem, type ClientProblemCode } from './problem-error.ts'
export type { Json, Routes } from './routes.ts'
export type { ClientOptions, Method, SendOptions } from './transport.ts'

export type RouteName = keyof Routes
export type AnswerOf<Name extends RouteName> = Routes[Name]['answer']
export type BodyOf<Name extends RouteName> = Routes[Name] extends { body: infer Body } ? Body : never

/** What a route takes: its path parameters and body, if it has them, and an optional query. */
export type Input<Name extends RouteName> = (Routes[Name] extends { path: infer Path }
  ? { readonly path: Path }
  : object) &
  (Routes[Name] extends { body: infer Body } ? { readonly body: Body } : object) &
  (Routes[Name] extends { query: infer Query } ? { readonly query?: Query } : object) &
  Omit<SendOptions, 'json'>
type InputArguments<Name extends RouteName> = object extends Input<Name> ? [input?: Input<Name>] : [input: Input<Name>]

/** Routes that return pages. */
export type PagedRoute = {
  [Name in RouteName]: Routes[Name] extends {
    query: { readonly after?: number | undefined }
    answer: { readonly items: readonly unknown[] }
  }
    ? Name
    : never
}[RouteName]
type ItemOf<Name extends PagedRoute> = Routes[Name]['answer']['items'][number]

export type GateClient = {
  /** Sends one request by its route. Throws a `ProblemError` unless it succeeds. */
  ask<Name extends RouteName>(name: Name, ...input: InputArguments<Name>): Promise<AnswerOf<Name>>
  /** The same for a literal path, if the route is not known at compile time. */
  send(method: Method, path: string, options?: SendOptions): Promise<unknown>
  /** The items of all pages of a list. */
  items<Name extends PagedRoute>(name: Name, ...input: InputArguments<Name>): AsyncGenerator<ItemOf<Name>>
  /** Follows changes, from now on or after an event; reconnects after lost connections. */
  changes(options?: FollowOptions & { readonly kinds?: readonly string[] }): AsyncGenerator<StreamEvent>
  /** Any other stream of the gate, such as `/agent/runs/ID/events`. */
  stream(path: string, options?: FollowOptions): AsyncGenerator<StreamEvent>
}

/** A client of one gate, for Node and browsers. Needs nothing but `fetch`. */
export function createClient(options: ClientOptions = {}): GateClient {
  const transport = createTransport(options)
  async function send(method: Method, path: string, more: SendOptions = {}): Promise<unknown> {
    const idempotency_key = method === 'POST' ? (more.idempotency_key ?? crypto.randomUUID()) : undefined
    const keyed = idempotency_key === undefined ? more : { ...more, idempotency_key }
    try {
      return await readAnswer(await transport(method, path, keyed), idempotency_key)
    } catch (error) {
      if (error instanceof ProblemError) options.onProblem?.(error)
      throw error
    }
  }
  async function ask<Name extends RouteName>(name: Name, ...[input]: InputArguments<Name>): Promise<AnswerOf<Name>> {
    const { path, query, body, ...more } = (input ?? {}) as AnyInput
    const [method = '', template = ''] = name.split(' ')
    const json = body === undefined ? {} : { json: body }
    return (await send(method as Method, pathOf(template, path, query), { ...more, ...json })) as AnswerOf<Name>
  }
  return {
    send,
    ask,
    async *items<Name extends PagedRoute>(name: Name, ...[input]: InputArguments<Name>) {
      let after: number | undefined
      do {
        const fields = (input ?? {}) as AnyInput
        const query = { ...fields.query, ...(after === undefined ? {} : { after }) }
        const page = (await ask(name, ...([{ ...fields, query }] as unknown as InputArguments<Name>))) as Page
        yield* page.items as readonly ItemOf<Name>[]
        after = page.next
      } while (after !== undefined)
    },
    changes({ kinds, ...more } = {}) {
      return follow(
        transport,
        pathOf('/v1/stream', undefined, kinds === undefined ? {} : { kinds: kinds.join(',') }),
        more,
      )
    },
    stream: (path, more) => follow(transport, path, more),
  }
}

type Page = { readonly items: readonly unknown[]; readonly next?: number }
type Query = Readonly<Record<string, string | number | boolean | undefined>>
type AnyInput = Omit<SendOptions, 'json'> & {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Query
  readonly body?: unknown
}

/** INVARIANT: a path parameter stays one segment of the path, whatever it contains. */
function pathOf(template: string, parts: Readonly<Record<string, string>> = {}, query: Query = {}): string {
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => partOf(name, parts[name]))
  const words = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [`${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`],
  )
  return words.length === 0 ? path : `${path}?${words.join('&')}`
}

function partOf(name: string, value: string | undefined): string {
  // An empty segment, `.` or `..` would change the path.
  if (value === undefined || /^\.{0,2}$/.test(value)) throw new TypeError(`\`${name}\` is not a part of a path`)
  return encodeURIComponent(value)
}
