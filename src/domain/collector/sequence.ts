/** Streams of one exporter whose sequence numbers are followed. */
const MOST_STREAMS = 64;
/** A larger step is another start of the exporter, not a loss. */
const MOST_LOST = 100_000;
const MODULUS = 2 ** 32;

type Position = { sequence: number; advance: number | null };

/**
 * Counts what is missing between the sequence numbers of datagrams: datagrams of NetFlow 9, records of IPFIX. Some exporters
 * count the records of a datagram before they number it, others after that: what either way explains is not lost.
 */
export class SequenceGaps {
  readonly #positions = new Map<string, Position>();

  /** @returns how many are missing before this datagram, at least */
  observe({ stream, sequence, advance }: { stream: string; sequence: number; advance: number | null }): number {
    const before = this.#positions.get(stream);
    if (!before && this.#positions.size >= MOST_STREAMS) this.#positions.clear();
    const step = before ? (sequence - before.sequence + MODULUS) % MODULUS : 0;
    // One that was overtaken on its way has been counted as missing; it must not set the position back.
    if (before && step > MODULUS - MOST_LOST) return 0;
    this.#positions.set(stream, { sequence, advance });
    if (!before || before.advance === null || step > MOST_LOST) return 0;
    return Math.max(0, step - Math.max(before.advance, advance ?? 0));
  }
}
