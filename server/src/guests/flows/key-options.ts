import { FlowRole } from '../../kernel/contract/caller.ts'
import { Option, type Command } from 'commander'

/** What `sluice keys create` says of a key about flows. */
export function addKeyOptions(create: Command): void {
  create
    .addOption(new Option('--flow-role <role>', 'what it may see of flows').choices(FlowRole.options))
    .option('--vault <vault>', 'the only vault of flows that it knows')
}
