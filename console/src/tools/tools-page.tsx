import { useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import type { ConsoleGuest } from '../guest.ts'
import { GUESTS } from '../guests.ts'
import type { Server, ListedTool } from '../api/types.ts'
import { many } from '../lib/time.ts'
import { Icon } from '../parts/icon.tsx'
import { Risk } from '../parts/risk.tsx'
import { SearchBox } from '../parts/search-box.tsx'
import { GateText } from '../parts/gate-text.tsx'
import { Empty, Failed, Skeleton } from '../parts/states.tsx'
import { Text } from '../parts/text.tsx'
import { isDown, ServerHealth, stateWord } from './server-health.tsx'
import { ToolDrawer } from './tool-drawer.tsx'
import { serversQuery, toolsQuery } from './tools-query.ts'

const guests: readonly ConsoleGuest[] = GUESTS
const logins = guests.flatMap(({ name, ofServer: Part }) => (Part === undefined ? [] : [{ name, Part }]))

/** Servers and their health, what their tools do, and what changed and waits to be admitted. */
export function ToolsPage() {
  const tools = useQuery(toolsQuery)
  const servers = useQuery(serversQuery)
  const { tool: chosen } = useSearch({ strict: false }) as { tool?: string }
  const [words, setWords] = useState('')
  const wanted = words.trim().toLowerCase()
  const list = (tools.data ?? []).filter(({ tool_id, title = '' }) =>
    `${tool_id} ${title}`.toLowerCase().includes(wanted),
  )
  const waiting = (tools.data ?? []).filter(({ admitted }) => !admitted)
  const open = tools.data?.find(({ tool_id }) => tool_id === chosen)
  if (tools.isError && tools.data === undefined)
    return <Failed error={tools.error} onRetry={() => void tools.refetch()} />
  return (
    <div className={open === undefined ? 'activity' : 'activity open'}>
      <div className="activity-main">
        <div className="top">
          <h1>Tools</h1>
          <span className="faint small">
            {tools.data === undefined
              ? ''
              : `${many(tools.data.length, 'tool')} of ${many(servers.data?.length ?? 0, 'server')}`}
          </span>
          <span className="grow" />
          <SearchBox label="Search tools" placeholder="tool or title" value={words} onValue={setWords} />
        </div>
        <div className="scroll">
          {waiting.length === 0 ? null : (
            <section aria-label="To review">
              <h2 className="section-head">
                {many(waiting.length, 'tool needs', 'tools need')} to be admitted{' '}
                <span className="faint">calls are held until an admin admits the change</span>
              </h2>
              <ToolRows tools={waiting} chosen={chosen} />
            </section>
          )}
          {tools.data === undefined || servers.data === undefined ? (
            <Skeleton />
          ) : servers.data.length === 0 ? (
            <Empty title="No tool servers yet">
              <p className="small">
                Add a server under <code>servers:</code> in sluice.yaml.
              </p>
            </Empty>
          ) : (
            [...servers.data]
              .sort(downFirst)
              .map((server) => (
                <ServerTools
                  key={server.server}
                  server={server}
                  tools={list.filter((tool) => tool.server === server.server)}
                  known={tools.data.filter((tool) => tool.server === server.server).length}
                  chosen={chosen}
                />
              ))
          )}
        </div>
      </div>
      {open === undefined ? null : <ToolDrawer key={open.tool_id} tool={open} />}
    </div>
  )
}

/** Servers that cannot be called come first; otherwise in the order of the configuration. */
const downFirst = (a: Server, b: Server) => Number(a.state === 'ready') - Number(b.state === 'ready')

type ServerProps = {
  readonly server: Server
  /** Those that were searched for. */
  readonly tools: readonly ListedTool[]
  /** How many it has, as far as is known. */
  readonly known: number
  readonly chosen: string | undefined
}

function ServerTools({ server, tools, known, chosen }: ServerProps) {
  const isWell = server.state === 'ready'
  if (tools.length === 0 && isWell && known > 0) return null
  return (
    <section aria-label={`Server ${server.server}`}>
      <h2 className="section-head">
        <span className={isWell ? 'dot' : isDown(server) ? 'dot stop' : 'dot warn'} aria-hidden="true" />
        <Text>{server.server}</Text>{' '}
        <span className="faint">
          <Text>{stateWord(server)}</Text>, {many(known, 'tool')}
        </span>
        <Link to="/activity" search={{ words: server.server }} className="small">
          Calls
        </Link>
      </h2>
      <ServerHealth server={server} tools={known} />
      {server.findings.map((finding) => (
        <p key={finding.says} className="hint finding">
          <Icon name="warn" />
          <GateText>{finding.says}</GateText>
        </p>
      ))}
      {server.login === undefined ? null : (
        <Suspense fallback={null}>
          {logins.map(({ name, Part }) => (
            <Part
              key={name}
              server={server.server}
              per={server.login?.per ?? 'gate'}
              needed={server.state === 'needs_login'}
            />
          ))}
        </Suspense>
      )}
      <ToolRows tools={tools} chosen={chosen} />
    </section>
  )
}

const FROM: Readonly<Record<Exclude<ListedTool['effects_from'], 'unknown'>, string>> = {
  configured: 'set in sluice.yaml',
  pack: 'from the pack for this server',
  annotated: 'the server says so',
  inferred: 'inferred from its name',
}

export const effectsOf = ({ effects, effects_from }: ListedTool): string =>
  effects_from === 'unknown' ? 'unknown, so treated as a tool that writes and sends' : effects.join(', ')

function ToolRows({ tools, chosen }: { readonly tools: readonly ListedTool[]; readonly chosen: string | undefined }) {
  return (
    <ul>
      {tools.map((tool) => (
        <li key={tool.tool_id} className={tool.tool_id === chosen ? 'tool-row chosen' : 'tool-row'}>
          <span className="what">
            <Link
              to="/tools"
              search={{ tool: tool.tool_id }}
              aria-current={tool.tool_id === chosen ? 'true' : undefined}
            >
              <code>{tool.tool_id}</code>
            </Link>
            <span className="tiny faint">
              {tool.title === undefined ? (
                'no title'
              ) : (
                <>
                  “<Text>{tool.title}</Text>”
                </>
              )}
            </span>
          </span>
          <Risk of={tool.risk} />
          <span className="small dim">
            {effectsOf(tool)}
            {tool.effects_from === 'unknown' ? null : <span className="faint"> ({FROM[tool.effects_from]})</span>}
          </span>
          {tool.admitted ? null : (
            <span className="tag ask">
              <Icon name="diff" />
              {tool.admitted_hash === undefined ? 'new' : 'changed'}
            </span>
          )}
        </li>
      ))}
    </ul>
  )
}
