/** The commands of an outage as one script of dist/, compiled ahead. */
import { AckCommand } from './ack.ts';
import { AnnotateCommand } from './annotate.ts';
import { AnnounceClearCommand, AnnounceCommand, AnnounceListCommand } from './announce.ts';
import { EventCommand } from './event.ts';
import { ExplainCommand } from './explain.ts';
import {
  IncidentsCommand,
  IncidentsOpenCommand,
  IncidentsResolveCommand,
  IncidentsShowCommand,
  IncidentsUpdateCommand,
} from './incidents.ts';
import { MaintenanceAddCommand, MaintenanceCancelCommand, MaintenanceListCommand } from './maintenance.ts';
import { OutboxCommand, OutboxDropCommand, OutboxRetryCommand } from './outbox.ts';
import { runOneOf, type ProcessStart } from './run-process.ts';
import { SilenceClearCommand, SilenceCommand, SilenceListCommand } from './silence.ts';

const commands = [
  AckCommand,
  AnnotateCommand,
  AnnounceCommand,
  AnnounceListCommand,
  AnnounceClearCommand,
  EventCommand,
  ExplainCommand,
  IncidentsCommand,
  IncidentsOpenCommand,
  IncidentsUpdateCommand,
  IncidentsResolveCommand,
  IncidentsShowCommand,
  MaintenanceAddCommand,
  MaintenanceListCommand,
  MaintenanceCancelCommand,
  OutboxCommand,
  OutboxRetryCommand,
  OutboxDropCommand,
  SilenceCommand,
  SilenceListCommand,
  SilenceClearCommand,
];

export function main(args: readonly string[], start: ProcessStart): Promise<void> {
  return runOneOf(commands, args, start);
}
