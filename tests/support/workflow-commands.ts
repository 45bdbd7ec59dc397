/** Reads workflow commands the way a GitHub Actions runner does (its ActionCommand.TryParseV2 and TryParse). */

export interface WorkflowCommand {
  readonly name: string;
  readonly properties: Readonly<Record<string, string>>;
  readonly message: string;
}

/** The commands in a log, and the lines that are not one. */
export function parseWorkflowCommands(log: string): { commands: WorkflowCommand[]; lines: string[] } {
  const commands: WorkflowCommand[] = [];
  const lines: string[] = [];
  for (const line of log.split(/\r\n|\n|\r/)) {
    const command = parseCommand(line.trimStart());
    if (command === null) lines.push(line);
    else commands.push(command);
  }
  return { commands, lines: lines.filter((line) => line !== '') };
}

function parseCommand(line: string): WorkflowCommand | null {
  const old = /##\[(\S+?)(?: [^\]]*)?\](.*)$/.exec(line);
  if (!line.startsWith('::'))
    return old === null ? null : { name: old[1] ?? '', properties: {}, message: old[2] ?? '' };
  const end = line.indexOf('::', 2);
  if (end === -1) return null;
  const [name = '', ...rest] = line.slice(2, end).split(' ');
  const properties: Record<string, string> = {};
  for (const pair of rest.join(' ').split(',')) {
    const equals = pair.indexOf('=');
    if (equals > 0) properties[pair.slice(0, equals).trim()] = unescaped(pair.slice(equals + 1));
  }
  return { name, properties, message: unescaped(line.slice(end + 2)) };
}

function unescaped(text: string): string {
  return text
    .replaceAll('%0D', '\r')
    .replaceAll('%0A', '\n')
    .replaceAll('%3A', ':')
    .replaceAll('%2C', ',')
    .replaceAll('%25', '%');
}
