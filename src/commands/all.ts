/** Every command, in the order in which help lists them. */
import type { StatusdCommandClass } from './base.ts';
import { AckCommand } from './ack.ts';
import { AddCommand } from './add.ts';
import { AnnotateCommand } from './annotate.ts';
import { AnnounceClearCommand, AnnounceCommand, AnnounceListCommand } from './announce.ts';
import { BackupCommand } from './backup.ts';
import { CheckCommand } from './check.ts';
import { CompletionCommand } from './completion.ts';
import { CompletionWordsCommand } from './completion/words.ts';
import { DemoCommand } from './demo.ts';
import { DigestCommand } from './digest.ts';
import { DoctorCommand } from './doctor.ts';
import { EventCommand } from './event.ts';
import { ExplainCommand } from './explain.ts';
import { HealthcheckCommand } from './healthcheck.ts';
import { ImportGatusCommand, ImportHoraCommand, ImportKumaCommand } from './import.ts';
import {
  IncidentsCommand,
  IncidentsOpenCommand,
  IncidentsResolveCommand,
  IncidentsShowCommand,
  IncidentsUpdateCommand,
} from './incidents.ts';
import { InitCommand } from './init.ts';
import { OncallCommand } from './oncall.ts';
import { OutboxCommand, OutboxDropCommand, OutboxRetryCommand } from './outbox.ts';
import { MigrateCommand } from './migrate.ts';
import { NodesCommand } from './nodes.ts';
import { PeersCommand } from './peers.ts';
import { PlanCommand } from './plan.ts';
import { PostmortemCommand } from './postmortem.ts';
import { ProbeCommand } from './probe.ts';
import { RemoveCommand } from './remove.ts';
import { ReplayCommand } from './replay.ts';
import { ReportCommand } from './report.ts';
import { SchemaCommand } from './schema.ts';
import { ServeCommand } from './serve.ts';
import { MaintenanceAddCommand, MaintenanceCancelCommand, MaintenanceListCommand } from './maintenance.ts';
import { SilenceClearCommand, SilenceCommand, SilenceListCommand } from './silence.ts';
import { SubscribersExportCommand, SubscribersListCommand, SubscribersRemoveCommand } from './subscribers.ts';
import { TopCommand } from './top.ts';
import { TestAlertCommand } from './test-alert.ts';
import { TestCommand } from './test.ts';
import { TuneCommand } from './tune.ts';

export const allCommands: readonly StatusdCommandClass[] = [
  CheckCommand,
  ProbeCommand,
  ServeCommand,
  DemoCommand,
  InitCommand,
  AddCommand,
  RemoveCommand,
  ImportKumaCommand,
  ImportGatusCommand,
  ImportHoraCommand,
  DoctorCommand,
  PlanCommand,
  TestCommand,
  AckCommand,
  SilenceCommand,
  SilenceListCommand,
  SilenceClearCommand,
  MaintenanceAddCommand,
  MaintenanceListCommand,
  MaintenanceCancelCommand,
  AnnounceCommand,
  AnnounceListCommand,
  AnnounceClearCommand,
  EventCommand,
  SubscribersListCommand,
  SubscribersRemoveCommand,
  SubscribersExportCommand,
  OutboxCommand,
  OutboxRetryCommand,
  OutboxDropCommand,
  TopCommand,
  PeersCommand,
  OncallCommand,
  NodesCommand,
  IncidentsCommand,
  IncidentsShowCommand,
  IncidentsOpenCommand,
  IncidentsUpdateCommand,
  IncidentsResolveCommand,
  AnnotateCommand,
  ExplainCommand,
  PostmortemCommand,
  ReportCommand,
  TuneCommand,
  ReplayCommand,
  DigestCommand,
  TestAlertCommand,
  BackupCommand,
  MigrateCommand,
  HealthcheckCommand,
  SchemaCommand,
  CompletionCommand,
  CompletionWordsCommand,
];
