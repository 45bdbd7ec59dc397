/** The help screen: every key, and what the marks mean. */
import { Box } from 'ink';
import { editKeys, keymap, keyText } from '../keys.ts';
import { latencySteps } from '../strips.ts';
import { span } from '../theme.ts';
import { Line, Prose, useTheme } from './parts.tsx';
import { Scrolled } from './scrolled.tsx';

interface HelpProps {
  readonly scroll: number;
  readonly width: number;
  readonly height: number;
  readonly onScroll: (mostScroll: number) => void;
}

export function Help({ width, ...rest }: HelpProps) {
  const { marks } = useTheme();
  const { status, levels, outage, flapping } = marks;
  const legend = [
    `${status.up} up  ${status.degraded} degraded  ${status.down} down  ${status.unknown} no data  ${flapping} flapping`,
    `NOW is how long it is down, or how long ago it was checked. SLO LEFT is what is left of its error budget.`,
    `A latency has the same height everywhere: ${levels.map((level, index) => `${level} ${index < latencySteps.length ? `<${latencySteps[index] ?? ''}` : '1000+'}`).join('  ')} ms; ${outage}: it was down.`,
  ];
  return (
    <Scrolled width={width} {...rest}>
      <Line spans={[span(' Keys', 'strong')]} />
      {keymap.map(({ command, keys, label, on }) => (
        <KeyRow
          key={command}
          keys={keys}
          label={on.length === 1 && on[0] === 'detail' ? `${label} (in the detail)` : label}
        />
      ))}
      <Line spans={[span(' ')]} />
      <Line spans={[span(' While typing', 'strong')]} />
      {editKeys.map(({ edit, keys, label }) => (
        <KeyRow key={edit} keys={keys} label={label} />
      ))}
      <Line spans={[span(' ')]} />
      <Line spans={[span(' Marks', 'strong')]} />
      {legend.map((text) => (
        <Box key={text} paddingLeft={3} flexShrink={0}>
          <Prose text={text} />
        </Box>
      ))}
    </Scrolled>
  );
}

function KeyRow({ keys, label }: { readonly keys: readonly string[]; readonly label: string }) {
  const { marks } = useTheme();
  return (
    <Box flexShrink={0}>
      <Box width={24} flexShrink={0}>
        <Line spans={[span(`   ${keys.map((key) => keyText(key, marks)).join(' ')}`, 'accent')]} />
      </Box>
      <Prose text={label} />
    </Box>
  );
}
