/**
 * The end of an axis that begins at 0 and holds `greatest`, with marks at round figures.
 * @param base 1000 for counts and decimal units, 1024 for binary ones: what is round depends on it
 */
export function niceScale(greatest: number, base: 1000 | 1024 = 1000, marks = 3): { end: number; ticks: number[] } {
  if (!(greatest > 0)) return { end: 1, ticks: [0, 1] };
  const wanted = greatest / marks;
  const unit = base ** Math.max(0, Math.floor(Math.log(wanted) / Math.log(base)));
  const inUnit = wanted / unit;
  const power = 10 ** Math.floor(Math.log10(inUnit));
  // Steps of 2.5 would be marked "2.5", "5", "7.5": fewer digits are read faster.
  const step = [1, 2, 5, 10].find((factor) => factor * power >= inUnit) ?? 10;
  const size = step * power * unit;
  const count = Math.ceil(greatest / size);
  return { end: count * size, ticks: Array.from({ length: count + 1 }, (_, i) => i * size) };
}
