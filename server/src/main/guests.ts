import { activity } from '../guests/activity/index.ts'
import { agent } from '../guests/agent/index.ts'
import { chat } from '../guests/chat/index.ts'
import { commands } from '../guests/commands/index.ts'
import { content } from '../guests/content/index.ts'
import { demo } from '../guests/demo/index.ts'
import { flows } from '../guests/flows/index.ts'
import { hooks } from '../guests/hooks/index.ts'
import { hub } from '../guests/hub/index.ts'
import { inbox } from '../guests/inbox/index.ts'
import { matrix } from '../guests/matrix/index.ts'
import { models } from '../guests/models/index.ts'
import { openapi } from '../guests/openapi/index.ts'
import { packs } from '../guests/packs/index.ts'
import { policyLint } from '../guests/policy-lint/index.ts'
import { provenance } from '../guests/provenance/index.ts'
import { push } from '../guests/push/index.ts'
import { risk } from '../guests/risk/index.ts'
import { sandbox } from '../guests/sandbox/index.ts'
import { search } from '../guests/search/index.ts'
import { sentences } from '../guests/sentences/index.ts'
import { serenity } from '../guests/serenity/index.ts'
import { serverLogins } from '../guests/server-logins/index.ts'
import { shell } from '../guests/shell/index.ts'
import { telemetry } from '../guests/telemetry/index.ts'
import { toolflow } from '../guests/toolflow/index.ts'
import { webPush } from '../guests/web-push/index.ts'
import { webhook } from '../guests/webhook/index.ts'
import { workflows } from '../guests/workflows/index.ts'
import type { Guest } from '../kernel/registries.ts'

/**
 * Every guest of this build. To add one, add its import and its name; to remove one, remove both and its folder. People see what
 * guests contribute in this order.
 */
export const GUESTS: readonly Guest[] = [
  hub,
  toolflow,
  activity,
  agent,
  chat,
  commands,
  content,
  demo,
  flows,
  hooks,
  inbox,
  matrix,
  models,
  openapi,
  packs,
  policyLint,
  provenance,
  push,
  risk,
  sandbox,
  search,
  sentences,
  serenity,
  serverLogins,
  shell,
  telemetry,
  webPush,
  webhook,
  workflows,
]

/** The guests that protect calls, also those that a build leaves out. Their value says `guard: true`. */
export const GUARDS: readonly string[] = ['content', 'provenance', 'risk', 'sandbox', 'shell']
