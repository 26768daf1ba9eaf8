import { splitWords } from '../../kernel/text/split-words.ts'
import { before, inFolders, isFolderTool, of, values, type Draft, type Made } from './draft.ts'
import type { ArgumentLeaf } from '../../kernel/text/argument-roles.ts'
import { counted, name, text } from './pieces.ts'
import { COPIES, CREATES, DETAILS, hasAny, LISTS, MOVES, SEARCHES } from '../../kernel/text/tool-vocabulary.ts'

export function writeFile(draft: Draft): Made {
  const [paths, folders] = [of(draft, 'path'), of(draft, 'folder')]
  const isMove = hasAny(draft.words, MOVES)
  if ((isMove || hasAny(draft.words, COPIES)) && paths.length + folders.length === 2)
    return moveFile(draft, [...paths, ...folders], isMove)
  const contents = of(draft, 'content')
  const lines = contents.reduce((sum, { text: content }) => sum + content.split('\n').length, 0)
  const size = contents.length === 0 ? '' : `, ${counted(lines, 'line')}`
  const verb = draft.words.includes('upload') ? 'Upload' : 'Write'
  if (isFolderTool(draft.words) && contents.length === 0) return writeFolder(draft, [...paths, ...folders])
  return {
    pieces: [
      text(paths.length === 1 ? `${verb} the file ` : `${verb} ${counted(paths.length, 'file')}: `),
      ...values(draft, paths),
      ...inFolders(draft, folders),
      text(size),
    ].filter((piece) => piece.text !== ''),
    used: [...paths, ...folders],
    button: `Approve and ${verb.toLowerCase()}`,
  }
}

function writeFolder(draft: Draft, folders: readonly ArgumentLeaf[]): Made {
  const verb = hasAny(draft.words, CREATES) ? 'Create' : 'Change'
  return {
    pieces: [text(`${verb} the ${folders.length === 1 ? 'folder' : 'folders'} `), ...values(draft, folders)],
    used: folders,
    button: `Approve and ${verb.toLowerCase()}`,
  }
}

function moveFile(draft: Draft, paths: readonly ArgumentLeaf[], isMove: boolean): Made {
  const isTarget = ({ field, role }: ArgumentLeaf) => role === 'folder' || hasAny(splitWords(field), TARGETS)
  const [from, to] = [paths.find((leaf) => !isTarget(leaf)), paths.find(isTarget)]
  const [first, second] = from === undefined || to === undefined ? paths : [from, to]
  const verb = isMove ? 'Move' : 'Copy'
  return {
    pieces: [
      text(`${verb} the ${isFolderTool(draft.words) ? 'folder' : 'file'} `),
      ...(first === undefined ? [] : [draft.print.value(first)]),
      ...before(
        second?.role === 'folder' ? ' to the folder ' : ' to ',
        second === undefined ? [] : [draft.print.value(second)],
      ),
    ],
    used: paths,
    button: `Approve and ${verb.toLowerCase()}`,
  }
}

const TARGETS: ReadonlySet<string> = new Set('destination dest dst to target new'.split(' '))
/** A file that is written although the tool itself only reads: `output_path` of a screenshot. */
const OUTPUTS: ReadonlySet<string> = new Set(['output', 'out', 'save', 'target', 'destination', 'dest'])

export function read(draft: Draft): Made {
  const { words, tool_id } = draft
  const [folders, queries] = [of(draft, 'folder'), of(draft, 'query')]
  const paths = of(draft, 'path').filter(({ field }) => !hasAny(splitWords(field), OUTPUTS))
  const button = 'Approve and read'
  if (queries.length > 0 && (hasAny(words, SEARCHES) || paths.length === 0)) {
    const inside = [...paths, ...folders]
    const search = [text('Search with '), name(tool_id), text(' for '), ...values(draft, queries)]
    return { pieces: [...search, ...inFolders(draft, inside)], used: [...queries, ...inside], button }
  }
  if (isFolderTool(words) && paths.length + folders.length > 0) {
    const all = [...paths, ...folders]
    const verb = hasAny(words, LISTS) ? 'List' : 'Read'
    const what = all.length === 1 ? 'folder' : 'folders'
    return { pieces: [text(`${verb} the ${what} `), ...values(draft, all)], used: all, button }
  }
  if (paths.length > 0 && !hasAny(words, LISTS)) {
    const what = paths.length === 1 ? 'file' : 'files'
    const start = hasAny(words, DETAILS) ? `Read the details of the ${what} ` : `Read the ${what} `
    const used = [...paths, ...folders]
    return { pieces: [text(start), ...values(draft, paths), ...inFolders(draft, folders)], used, button }
  }
  const others = draft.inputs - folders.length
  const inputs = others > 0 ? [text(`, ${counted(others, 'input')}`)] : []
  const pieces = [text('Read with '), name(tool_id), ...inFolders(draft, folders), ...inputs]
  return { pieces, used: folders, button }
}
