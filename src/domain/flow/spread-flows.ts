/**
 * Flows that begin in one bucket, end in another and share a verdict. Of their totals `head` falls into the first bucket,
 * `middle` into each between, `tail` into the last; when both are the same, all of it is `head`.
 */
export type FlowSpan = {
  from_bucket: number;
  to_bucket: number;
  decision: string;
  head_bytes: number;
  head_packets: number;
  middle_bytes: number;
  middle_packets: number;
  tail_bytes: number;
  tail_packets: number;
  /** Flows that began in the range: they count in the first bucket. */
  flows: number;
};

export type SeriesLine = { decision: string; bytes: number[]; packets: number[]; flows: number[] };

const emptyLine = (decision: string, buckets: number): SeriesLine => ({
  decision,
  bytes: new Array<number>(buckets).fill(0),
  packets: new Array<number>(buckets).fill(0),
  flows: new Array<number>(buckets).fill(0),
});

const add = (values: number[], at: number, value: number) => {
  const before = values[at];
  if (before !== undefined) values[at] = before + value;
};

/**
 * Whole numbers whose sum is that of the values, rounded: of each running total what the one before did not have. Rounding
 * value by value would lose, or make up, half a unit in each bucket.
 */
export function wholeNumbers(values: readonly number[]): number[] {
  let total = 0;
  let given = 0;
  return values.map((value) => {
    total += value;
    const whole = Math.round(total) - given;
    given += whole;
    return whole;
  });
}

/** A line for each verdict, in the order of their names. */
export function buildSeriesLines<T extends { decision: string }>(
  rows: readonly T[],
  buckets: number,
  put: (line: { add(field: 'bytes' | 'packets' | 'flows', bucket: number, value: number): void }, row: T) => void,
): SeriesLine[] {
  const lines = new Map<string, SeriesLine>();
  for (const row of rows) {
    const line = lines.get(row.decision) ?? emptyLine(row.decision, buckets);
    lines.set(row.decision, line);
    put({ add: (field, bucket, value) => add(line[field], bucket, value) }, row);
  }
  return [...lines.values()].sort((a, b) => (a.decision < b.decision ? -1 : 1));
}

/** Puts spans of flows into their buckets. A flow that ends on the border after the last bucket ends in the last. */
export function spreadFlows(spans: readonly FlowSpan[], buckets: number): SeriesLine[] {
  return buildSeriesLines(spans, buckets, (line, span) => {
    const { from_bucket, to_bucket } = span;
    line.add('flows', from_bucket, span.flows);
    for (const field of ['bytes', 'packets'] as const) {
      line.add(field, from_bucket, span[`head_${field}`]);
      for (let bucket = from_bucket + 1; bucket < to_bucket; bucket++) line.add(field, bucket, span[`middle_${field}`]);
      line.add(field, to_bucket, span[`tail_${field}`]);
    }
  });
}
