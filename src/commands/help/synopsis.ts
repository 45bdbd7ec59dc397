/** Says in one line how a command is typed. */
import type { ArgumentDoc, CommandPage, OptionDoc } from './page.ts';

/** `-c, --config PATH`: the names of an option as a reader looks them up. */
export function optionHeading({ names, valueName }: OptionDoc): string {
  return valueName === null ? names.join(', ') : `${names.join(', ')} ${valueName}`;
}

/** `<shell>`, `[ids...]`: an argument as a synopsis shows it. */
export function argumentHeading({ name, isRequired, isRepeatable }: ArgumentDoc): string {
  const text = isRepeatable ? `${name}...` : name;
  return isRequired ? `<${text}>` : `[${text}]`;
}

/** The parts of a synopsis that should not be broken over two lines, `statusd` first. */
export function synopsisOf(page: CommandPage): string[] {
  const options = page.options.map((option) => {
    const text = [longestName(option), option.valueName].filter((part) => part !== null).join(' ');
    return option.isRequired ? text : `[${text}]`;
  });
  return ['statusd', ...page.words, ...options, ...page.arguments.map(argumentHeading)];
}

export function longestName({ names }: OptionDoc): string {
  return names.reduce((longest, name) => (name.length > longest.length ? name : longest), '');
}
