/** One record of /dev/kmsg. */
export type KmsgRecord = {
  sequence: number;
  /** CLOCK_MONOTONIC milliseconds. */
  monotonic: number;
  message: string;
};

/**
 * Parses `<priority>,<sequence>,<microseconds>,<flags>;<message>`, dropping the continuation lines with device details.
 * @returns null when the text is something else
 */
export function parseKmsgRecord(text: string): KmsgRecord | null {
  const semicolon = text.indexOf(';');
  if (semicolon < 0) return null;
  const [, sequence, microseconds] = text.slice(0, semicolon).split(',');
  if (sequence === undefined || microseconds === undefined) return null;
  const record = { sequence: Number(sequence), monotonic: Number(microseconds) / 1000 };
  if (!Number.isSafeInteger(record.sequence) || !Number.isFinite(record.monotonic)) return null;
  const end = text.indexOf('\n', semicolon);
  return { ...record, message: text.slice(semicolon + 1, end < 0 ? text.length : end) };
}
