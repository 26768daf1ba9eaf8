import { readCases } from '../cases/read-cases.ts'
import { answer, serveRaw } from './raw-server.ts'

/** The tools that the cases of `core/gate/cases` name on the server `SERVER`. Each does nothing, and says that it ran. */
const prefix = `${process.env['SERVER'] ?? ''}__`
const names = new Set(
  readCases()
    .map(({ tool }) => tool.id)
    .filter((id) => id.startsWith(prefix))
    .map((id) => id.slice(prefix.length)),
)

serveRaw({
  tools: () => [...names].map((name) => ({ name, description: name })),
  onCall: ({ id, name }) => answer(id, `${name} ran`),
})
