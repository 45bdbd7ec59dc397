/** Colours as people write them, and how well one is read on another (WCAG 2.2, section 1.4.3). */

/** `#abc` or `#aabbcc` as three channels from 0 to 255; null: it is neither. */
function channelsOf(colour: string): readonly [number, number, number] | null {
  const short = /^#([0-9a-f])([0-9a-f])([0-9a-f])$/i.exec(colour);
  const whole =
    short === null
      ? colour
      : `#${short
          .slice(1)
          .map((digit) => digit + digit)
          .join('')}`;
  const [, red, green, blue] = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(whole) ?? [];
  if (red === undefined || green === undefined || blue === undefined) return null;
  return [parseInt(red, 16), parseInt(green, 16), parseInt(blue, 16)];
}

export function isColour(text: string): boolean {
  return channelsOf(text) !== null;
}

/** 1 to 21: how much lighter one is than the other; what is no colour counts as black. */
export function contrast(one: string, other: string): number {
  const [a, b] = [luminance(one), luminance(other)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

function luminance(colour: string): number {
  const [red, green, blue] = (channelsOf(colour) ?? [0, 0, 0]).map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

const darkCard = '#171d1a';

/** The same hue, light enough to be read on dark. */
export function lightened(colour: string): string {
  let channels = channelsOf(colour) ?? [255, 255, 255];
  const text = () =>
    `#${channels.map((channel) => Math.round(channel).toString(16).padStart(2, '0')).join('')}`;
  while (contrast(text(), darkCard) < 5) {
    channels = channels.map((channel) => channel + (255 - channel) * 0.1) as [number, number, number];
  }
  return text();
}
