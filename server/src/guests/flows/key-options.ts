import { FlowRole } from '../../kernel/contract/caller.ts'
import { Option, type Command } from 'commander'

/** What `sluice keys create` says of a key about flows. */
export function addKeyOptions(create: Command): void {
  create
    .addOption(new Option('--flow-role <role>', 'its role in flows').choices(FlowRole.options))
    .option('--vault <vault>', 'restrict it to this vault of flows')
}
