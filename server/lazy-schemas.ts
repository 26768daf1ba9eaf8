import type { Plugin } from 'rolldown'

/**
 * Zod builds each schema completely when it is declared: one to three kilobytes of closures and tables. A gate declares some 7,000 of
 * them, with those of the MCP library, and uses a few hundred. In the bundle, a declared schema keeps only its definition, and zod builds
 * the rest when something reads it. docs/decisions/2026-11-16-lazy-schemas.md
 */
export const lazySchemas: Plugin = {
  name: 'lazy-schemas',
  transform(code, id) {
    const changes = CHANGES[/\/zod\/v4\/core\/(\w+)\.js$/.exec(id)?.[1] ?? '']
    return changes === undefined ? null : changes.reduce(replaced, code)
  },
}

type Change = { readonly from: string; readonly to: string }

/** Fails the build if a new version of zod looks different. */
function replaced(code: string, { from, to }: Change): string {
  if (code.split(from).length !== 2) throw new Error(`zod has changed, so lazy-schemas.ts has to be adapted: ${from}`)
  return code.replace(from, () => to)
}

/** The first schema of each kind is built at once: that completes its prototype and shows which properties its schemas have. */
const CONSTRUCTOR: Change = {
  from: `    function _(def) {
        const inst = params?.Parent ? newError(Definition) : this;
        init(inst, def);`,
  to: `    let isReady = false;
    function _(def) {
        if (isReady && Object.getPrototypeOf(this) === _.prototype) {
            this[waiting] = def;
            return this;
        }
        const inst = build(params?.Parent ? newError(Definition) : this, def);
        if (!params?.Parent && !isReady && Object.getPrototypeOf(inst) === _.prototype) {
            isReady = true;
            buildWhenRead(_.prototype, Object.getOwnPropertyNames(inst), build);
        }
        return inst;
    }
    function build(inst, def) {
        init(inst, def);`,
}

/** `waiting` is the definition of a schema that is not built yet. The names of properties are those of the first built schema. */
const HELPERS: Change = {
  from: 'export /*@__NO_SIDE_EFFECTS__*/ function $constructor(',
  to: `export const waiting = Symbol('waiting');
export const parent = Symbol('parent');
function buildWhenRead(proto, names, build) {
    const built = (inst) => {
        const def = inst[waiting];
        if (def === undefined) return false;
        inst[waiting] = undefined;
        build(inst, def);
        if (inst[parent] !== undefined) inst._zod.parent = inst[parent];
        return true;
    };
    for (const name of names) {
        Object.defineProperty(proto, name, {
            configurable: true,
            enumerable: false,
            get() {
                if (name === 'def' && this[waiting] !== undefined) return this[waiting];
                return built(this) ? this[name] : undefined;
            },
            set(value) {
                built(this);
                Object.defineProperty(this, name, { value, configurable: true, writable: true, enumerable: true });
            },
        });
    }
}
export /*@__NO_SIDE_EFFECTS__*/ function $constructor(`,
}

/** A copy of a schema that is not built, as `min` and `describe` make them, is not built either. */
const CLONE: Change = {
  from: `    const cl = new inst._zod.constr(def ?? inst._zod.def);
    if (!def || params?.parent)
        cl._zod.parent = inst;
    return cl;`,
  to: `    const known = inst[waiting];
    const cl = known === undefined ? new inst._zod.constr(def ?? inst._zod.def) : new inst.constructor(def ?? known);
    if (!def || params?.parent) {
        if (cl[waiting] === undefined) cl._zod.parent = inst;
        else cl[parent] = inst;
    }
    return cl;`,
}

/** Zod keeps every method that was read, bound to its schema. */
const BOUND: Change = {
  from: '            return this == null ? fn : own(this, key, fn.bind(this));',
  to: `            if (this != null && this[waiting] !== undefined) return fn.bind(this);
            return this == null ? fn : own(this, key, fn.bind(this));`,
}

const IMPORTS: Change = {
  from: 'export function members(proto, table) {',
  to: `import { parent, waiting } from './core.js';
export function members(proto, table) {`,
}

const CHANGES: Readonly<Record<string, readonly Change[]>> = {
  core: [HELPERS, CONSTRUCTOR],
  util: [CLONE, BOUND, IMPORTS],
}
