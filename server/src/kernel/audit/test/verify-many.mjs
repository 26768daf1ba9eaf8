// Runs the stand-alone verifier in this process on many files, because a thousand processes would take minutes. Its module is
// evaluated again for each. Reads a list of arguments from stdin, and writes the exit codes to a file.
import { writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

const [script, file] = process.argv.slice(2)
const chunks = []
for await (const chunk of process.stdin) chunks.push(chunk)
const codes = []
for (const [index, words] of JSON.parse(Buffer.concat(chunks).toString()).entries()) {
  process.argv = [process.execPath, script, ...words]
  await (
    await import(`${pathToFileURL(script).href}?${index}`)
  ).finished
  codes.push(process.exitCode)
}
writeFileSync(file, JSON.stringify(codes))
process.exitCode = 0
