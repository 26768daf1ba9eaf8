import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

type Lint = (request: object) => Promise<{ readonly messages: readonly unknown[] }>

/** secretlint with its recommended preset: whether it reports anything in a text. */
export async function openSecretlint(): Promise<(text: string) => Promise<boolean>> {
  const { lintSource } = (await load('core')) as { lintSource: Lint }
  const { creator } = (await load('secretlint-rule-preset-recommend')) as { creator: object }
  const rules = [{ id: '@secretlint/secretlint-rule-preset-recommend', rule: creator }]
  return async (text) => {
    const source = { filePath: '/sample.txt', content: text, contentType: 'text', ext: '.txt' }
    const result = await lintSource({ source, options: { config: { rules }, noPhysicFilePath: true } })
    return result.messages.length > 0
  }
}

/** The peers are installed in a separate folder, so they are loaded by path. */
function load(name: string): Promise<unknown> {
  const path = join(import.meta.dirname, '../peers/node_modules/@secretlint', name, 'module/index.js')
  return import(pathToFileURL(path).href)
}
