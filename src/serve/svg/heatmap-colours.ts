/** The colours of the grades of a heatmap, in the picture and on the page. */

interface HeatmapColours {
  /** From fast to slow. */
  readonly grades: readonly string[];
  readonly noData: string;
}

/**
 * One hue from pale to dark (after ColorBrewer's YlOrBr): the order is one of lightness, which every kind of colour
 * vision sees, and a printer without colours too.
 */
export const heatmapColours: HeatmapColours = {
  grades: ['#fff1c9', '#fcc86a', '#ec8f2f', '#b9520f', '#662704'],
  noData: '#f1efe9',
};

/** The same hue on a dark ground, from dark to bright: what is slow stands out there, too. */
export const darkHeatmapColours: HeatmapColours = {
  grades: ['#3d2b10', '#6b4314', '#a8601a', '#e6963a', '#ffe0a3'],
  noData: '#1f2622',
};
