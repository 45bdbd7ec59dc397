/** The configuration that stands in a test file beside the tests. */

const heading = /^\s*\[\[?([^[\]]+)\]\]?\s*(?:#.*)?$/;
const testsHeading = /^\s*(?:"tests"|'tests'|tests)\s*(?:\.|$)/;
const configKey = /^\s*config\s*=/;
const testsKey = /^\s*tests\s*[.=]/;

/**
 * The text with all that belongs to the tests blanked out, line by line, so that whatever is wrong with the rest is
 * found at its place in the file.
 */
export function inlineConfig(text: string): string {
  let isTests = false;
  let isTop = true;
  const lines = text.split('\n').map((line) => {
    const name = heading.exec(line)?.[1];
    if (name !== undefined) {
      isTests = testsHeading.test(name.trim());
      isTop = false;
    }
    if (isTop && testsKey.test(line)) isTests = true;
    return isTests || (isTop && configKey.test(line)) ? '' : line;
  });
  return lines.join('\n');
}
