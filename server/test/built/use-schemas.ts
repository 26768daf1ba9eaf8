import { z } from 'zod'

/** Declares schemas in many ways and uses them. Everything returned is JSON, so two builds of zod can be compared. */
export function useSchemas(): unknown {
  const Name = z.string().min(2).max(5).describe('a name')
  const Id = z
    .string()
    .regex(/^[a-z]+$/)
    .brand<'Id'>()
  const Person = z.strictObject({ name: Name, id: Id.optional(), age: z.number().int().min(0).default(7) })
  const Worker = Person.extend({ job: z.enum(['cook', 'clerk']) })
  const Tree: z.ZodType = z.lazy(() => z.object({ value: z.number(), children: z.array(Tree).optional() }))
  const Event = z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('a'), size: z.number() }),
    z.object({ kind: z.literal('b'), names: z.array(Name).nonempty() }),
  ])
  const Even = z.number().refine((value) => value % 2 === 0, 'not even')
  const Upper = z
    .string()
    .transform((text) => text.toUpperCase())
    .pipe(z.string().startsWith('A'))
  const schemas: Readonly<Record<string, z.ZodType>> = {
    Name,
    Id,
    Person,
    Worker,
    Partial: Worker.partial(),
    Picked: Worker.pick({ job: true }),
    Omitted: Worker.omit({ name: true }),
    Keys: Worker.keyof(),
    Loose: z.looseObject({ a: z.boolean() }),
    Rest: z.object({ a: z.boolean() }).catchall(z.number()),
    Tree,
    Event,
    Even,
    Upper,
    Either: z.union([z.string(), z.number().negative()]),
    Both: z.intersection(z.object({ a: z.string() }), z.object({ b: z.string() })),
    Pair: z.tuple([z.string(), z.number()]).rest(z.boolean()),
    Table: z.record(z.string().max(3), Even),
    Maybe: z.string().nullable().optional(),
    Caught: z.number().catch(3),
    Filled: z.string().trim().prefault(' x '),
    Frozen: z.array(z.int()).readonly(),
    Url: z.url(),
    Time: z.iso.datetime(),
    Unknown: z.unknown(),
    Never: z.never(),
    Custom: z.custom<string>((value) => value === 'yes'),
    Coerced: z.coerce.number(),
    Json: z.json(),
    Checked: z.string().superRefine((text, context) => {
      if (text.length > 3) context.addIssue({ code: 'custom', message: 'too long', path: ['deep'] })
    }),
  }
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, seen(schema)]))
}

/** Declared after every kind of schema has been used once. Returns whether zod has built it. */
export function isBuiltWhenDeclared(): boolean {
  useSchemas()
  const declared = z.strictObject({ text: z.string().min(1).describe('a text') })
  return Object.hasOwn(declared, '_zod')
}

const INPUTS: readonly unknown[] = [
  undefined,
  null,
  true,
  'ab',
  'Abc',
  'abcdef',
  'yes',
  '3',
  'https://example.com/',
  '2026-01-01T00:00:00Z',
  2,
  3.5,
  -1,
  [],
  ['a', 1, true],
  [1, 2],
  {},
  { a: true, b: 2 },
  { a: 'x', b: 'y' },
  { name: 'ana' },
  { name: 'ana', job: 'cook', id: 'x', age: 3 },
  { name: 'a', job: 'king', more: 1 },
  { kind: 'a', size: 1 },
  { kind: 'b', names: [] },
  { kind: 'c' },
  { value: 1, children: [{ value: 2 }, { value: 'x' }] },
]

function seen(schema: z.ZodType): unknown {
  return {
    results: INPUTS.map((input) => {
      const { success, data, error } = schema.safeParse(input)
      return success ? { data } : { issues: error.issues }
    }),
    input: described(schema, 'input'),
    output: described(schema, 'output'),
    type: schema.type,
    def: schema.def.type,
    // Without the methods, which zod keeps when they are read.
    keys: Object.entries(schema).flatMap(([key, value]) => (typeof value === 'function' ? [] : [key])),
    about: schema.description ?? null,
    meta: schema.meta() ?? null,
    is: [schema instanceof z.ZodType, schema instanceof z.ZodObject, schema instanceof z.core.$ZodString],
    optional: schema.isOptional(),
    shape: schema instanceof z.ZodObject ? Object.keys(schema.shape) : null,
    options: schema instanceof z.ZodUnion ? schema.options.length : null,
  }
}

function described(schema: z.ZodType, io: 'input' | 'output'): unknown {
  return z.toJSONSchema(schema, { io, unrepresentable: 'any' })
}
