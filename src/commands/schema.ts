/** `statusd schema`: prints the JSON Schema of the configuration. */
import { StatusdCommand } from './base.ts';
import { exitCodes, type ExitCode } from './exit.ts';
import { toJson } from './terminal/json.ts';

export class SchemaCommand extends StatusdCommand {
  static override paths = [['schema']];

  static override usage = StatusdCommand.Usage({
    category: 'Set up',
    description: 'Print the JSON Schema of the configuration.',
    details: `
      The schema (draft 2020-12) lets an editor complete and check a configuration as it is written. It knows
      every key with its type, its default and its purpose. Errors that involve several settings, such as a
      duplicate id, are found by \`statusd check --config-only\`.

      Editors with the Taplo language server find the schema by a comment at the top of the file:

          #:schema ./statusd.schema.json
    `,
    examples: [['Write the schema next to the configuration.', '$0 schema > statusd.schema.json']],
  });

  static override exits = { ok: 'The schema was printed.' };

  async run(): Promise<ExitCode> {
    const { jsonSchema } = await import('../engine/config/schema.ts');
    this.context.stdout.write(`${toJson(jsonSchema(), 2)}\n`);
    return exitCodes.ok;
  }
}
