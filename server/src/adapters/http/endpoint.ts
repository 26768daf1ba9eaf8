import type { z } from 'zod'
import type { Caller } from '../../kernel/contract/caller.ts'
import type { Result } from '../../kernel/contract/problems.ts'
import type { ShownProof } from '../../kernel/identity/prove-person.ts'
import type { BoundPorts } from '../../kernel/ports/bound-ports.ts'
import type { Site } from '../../kernel/ports/keys.ts'
import type { Page } from '../../kernel/ports/reads.ts'
import type { MaybePromise } from '../../kernel/ports/runtime.ts'
import type { AnswerText, Reader } from '../../kernel/sessions/enter-session.ts'
import type { Access } from './access.ts'
import type { Door } from './door.ts'
import type { QueryName } from './parameters.ts'
import { problemResponse } from './problem.ts'

/*
 * An endpoint is declared once, as data and one function. The declaration makes the route, the OpenAPI document, the client, the access
 * matrix and the checks of the caller, the query, the body, the proof and the idempotency key. A guest declares its endpoints in
 * `guests/NAME/endpoints.ts`. Those of the kernel's subjects are in `adapters/http/endpoints/`, because the kernel knows no protocol.
 * Nothing here loads the router: the fast way for calls uses the same declaration without it.
 */

declare module '../../kernel/registries.ts' {
  interface Guest {
    /** Loaded with the first request to the API. */
    readonly endpoints?: () => Promise<(ports: BoundPorts) => readonly Endpoint[]>
    readonly features?: () => Promise<GuestFeatures>
  }
}

/** What the console may show of a guest: its fields of `GET /v1/features`. */
export type GuestFeatures = {
  readonly fields: Readonly<Record<string, z.ZodType>>
  read(ports: BoundPorts): MaybePromise<object>
}

export type EndpointMethod = 'GET' | 'POST' | 'DELETE'
/** The method and the path, for example `DELETE /v1/consents/{consent_id}`. */
export type At = `${EndpointMethod} /${string}`

type PartsIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | PartsIn<Rest> : never

/** What a request asks for, and what is known about it. */
export interface EndpointInput<Part extends string = string, Body = unknown, Query extends QueryName = QueryName> {
  readonly params: Readonly<Record<Part, string>>
  /** The checked body. Without the proof, if the endpoint takes one. */
  readonly body: Body
  readonly query: Readonly<Partial<Record<Query, string>>>
  /** The query with parameters that are given more than once, for an endpoint that checks it itself. */
  readonly queries: Readonly<Record<string, readonly string[]>>
  readonly page: Page
  /** The caller, and the session named in the query. */
  readonly reader: Reader
  /** Empty if the endpoint takes none. */
  readonly proof: ShownProof
  /** Of the page that sent the request. */
  readonly site: Site
  readonly trace: string
  readonly key: string | undefined
  /** On the socket of the data folder, which only its owner can open; otherwise `remote` is an address. */
  readonly local: boolean
  readonly remote: string
  readonly door: Door
  readonly header: (name: string) => string | undefined
  /** A whole number from the query. */
  readonly number: (name: Query, otherwise: number) => number
  /** The body as it was sent, for an endpoint that declares none. */
  readonly text: () => Promise<string>
  /** Checked again while a stream is open, because the key may be revoked or the person may log out. */
  readonly isStillAllowed: () => Promise<boolean>
}

type Declared<A extends At, C extends Access, Body, Query extends QueryName, Value> = {
  readonly at: A
  readonly access: C
  /** What it does, for the document. */
  readonly says: string
  readonly query?: readonly Query[]
  /** The success statuses; the first is sent. */
  readonly status?: number | readonly [number, ...number[]]
  /** The schema of its successful answer. */
  readonly answers?: z.ZodType
  /** Its content type, if not JSON. */
  readonly media?: string
  /** Its use case checks the query itself. */
  readonly checks_query?: true
  /** Its use case handles idempotency keys itself. */
  readonly keeps_keys?: true
  /**
   * It can give permission in somebody's name: its body may contain the proof of the person. `in_body`: its use case takes the proof
   * from the body, because a passkey confirms something else than the request.
   */
  readonly grants?: true | 'in_body'
  /** Not in the OpenAPI document. */
  readonly undocumented?: true
  /** Also served without the router, by `plain-listener.ts`. */
  readonly plain?: true
  /** Left out if another door serves it, and only the document and the access matrix are made of it. */
  run?(
    caller: C extends 'anyone' ? undefined : Caller,
    asked: EndpointInput<PartsIn<A>, Body, Query>,
  ): MaybePromise<Result<Value> | Response>
  /** Texts of others in the value. They are in the session of the reader before it gets the answer. */
  reads?(value: Value, asked: EndpointInput<PartsIn<A>, Body, Query>): readonly AnswerText[]
  /** The body of the answer, if it is not the value itself. */
  shows?(value: Value, asked: EndpointInput<PartsIn<A>, Body, Query>): MaybePromise<object>
}

type WithoutProof<Body> = Body extends object ? Omit<Body, 'passphrase' | 'passkey'> : Body

/** A declared endpoint. */
export type Endpoint = Omit<Declared<At, Access, unknown, QueryName, unknown>, 'run' | 'reads' | 'shows' | 'status'> & {
  readonly method: EndpointMethod
  readonly path: string
  readonly status: readonly [number, ...number[]]
  readonly body?: z.ZodType
  /** The answer, as a response, or as a value that is sent as JSON. */
  readonly answer?: (
    caller: Caller | undefined,
    asked: EndpointInput,
  ) => MaybePromise<Response | { readonly value: unknown }>
}

/** Declares an endpoint. */
export function endpoint<
  const A extends At,
  const C extends Access,
  Schema extends z.ZodType | undefined = undefined,
  const Query extends QueryName = never,
  Value = unknown,
  Grants extends true | 'in_body' | undefined = undefined,
>(
  declared: Declared<
    A,
    C,
    Grants extends true
      ? WithoutProof<Schema extends z.ZodType ? z.output<Schema> : undefined>
      : Schema extends z.ZodType
        ? z.output<Schema>
        : undefined,
    Query,
    Value
  > & { readonly body?: Schema; readonly grants?: Grants },
): Endpoint {
  const {
    at,
    status = 200,
    run,
    reads,
    shows,
    body,
    ...rest
  } = declared as unknown as Declared<At, Access, unknown, QueryName, unknown> & { readonly body?: z.ZodType }
  const [method = '', path = ''] = at.split(' ')
  return {
    ...rest,
    at,
    method: method as EndpointMethod,
    path,
    status: typeof status === 'number' ? [status] : status,
    ...(body === undefined ? {} : { body }),
    ...(run === undefined
      ? {}
      : {
          async answer(caller: Caller | undefined, asked: EndpointInput) {
            const made = await run(caller, asked)
            if (made instanceof Response) return made
            if (!made.ok) return problemResponse(made.problem, asked.trace)
            const { value } = made
            const read = reads === undefined ? undefined : await asked.door.enter(asked.reader, reads(value, asked))
            if (read?.ok === false) return problemResponse(read.problem, asked.trace)
            const shown = shows === undefined ? value : await shows(value, asked)
            return shown instanceof Response ? shown : { value: shown }
          },
        }),
  }
}

/** The methods that some endpoint at this address takes. */
export function methodsAt(endpoints: readonly Endpoint[], address: string): readonly EndpointMethod[] {
  const patternOf = (path: string) =>
    new RegExp(`^${path.replaceAll('.', String.raw`\.`).replaceAll(/\{\w+\}/g, '[^/]+')}$`)
  return endpoints.flatMap(({ path, method }) => (patternOf(path).test(address) ? [method] : []))
}
