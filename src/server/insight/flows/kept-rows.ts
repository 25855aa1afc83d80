import { PairNumbers } from '@/domain/topology/traffic-totals';

/** A conversation as a number: those of its two ends and of its service, which have 53 bits together. */
export type Key = number;

const [END_BITS, SERVICE_BITS, LOW_END_BITS] = [18, 17, 4];
/** So many ends and services have numbers. */
export const MOST_NUMBERS = { ends: 2 ** END_BITS, services: 2 ** SERVICE_BITS };
const LOW = 2 ** (LOW_END_BITS + SERVICE_BITS);

export const toKey = (source: number, destination: number, service: number): Key =>
  (source * MOST_NUMBERS.ends + destination) * MOST_NUMBERS.services + service;

/** At each end: what was found, null where nothing was to find, undefined where it is not known any more. */
type Ends<F> = { source: F | null | undefined; destination: F | null | undefined };

/** What is known about a conversation; `outcome` is what follows from both ends by the present state. */
type Known<F, O> = Ends<F> & { outcome: O | undefined };

/** What was found at the ends of conversations, in columns: a map asks for hundreds of thousands at a time. */
export class KeptRows<F, O> {
  /** Source with most of the destination; the rest of it with the service. */
  readonly #numbers = new PairNumbers();
  readonly #source: Ends<F>['source'][] = [];
  readonly #destination: Ends<F>['destination'][] = [];
  /** Of the present state, which is not kept in memory by them. */
  #outcomes: (O | undefined)[] = [];
  #state: WeakRef<object> | null = null;
  readonly #last: Known<F, O> = { source: undefined, destination: undefined, outcome: undefined };

  /** Also of those about which nothing is known any more. */
  get size(): number {
    return this.#numbers.size;
  }

  /** Outcomes belong to a state: under another one they are found out again, from what is known at the ends. */
  enter(state: object): void {
    if (state === this.#state?.deref()) return;
    this.#state = new WeakRef(state);
    this.#outcomes = new Array(this.size);
  }

  /** Forgets all outcomes. */
  leave(): void {
    this.#state = null;
    this.#outcomes = [];
  }

  /** What is known about a conversation; undefined: nothing. It is the same object each time. */
  find(key: Key): Readonly<Known<F, O>> | undefined {
    const row = this.#find(key);
    if (row < 0) return undefined;
    const last = this.#last;
    last.source = this.#source[row];
    last.destination = this.#destination[row];
    last.outcome = this.#outcomes[row];
    return last;
  }

  keep(key: Key, { source, destination }: Readonly<Ends<F>>): void {
    const high = Math.floor(key / LOW);
    const row = this.#numbers.numberOf(high, key - high * LOW);
    this.#source[row] = source;
    this.#destination[row] = destination;
    this.#outcomes[row] = undefined;
  }

  /** Keeps what follows from both ends of a conversation that is kept. */
  keepOutcome(key: Key, outcome: O): void {
    const row = this.#find(key);
    if (row < 0) return;
    this.#outcomes[row] = outcome;
  }

  #find(key: Key): number {
    const high = Math.floor(key / LOW);
    return this.#numbers.find(high, key - high * LOW);
  }

  /**
   * Forgets what changed.
   * @param both ends at which something changed on which it also depends what is found at the other one
   * @param own ends at which what is found there changed
   */
  forget(both: ReadonlySet<number>, own: ReadonlySet<number>): void {
    const { one, other, size } = this.#numbers;
    for (let row = 0; row < size; row++) {
      const [high, low] = [one[row] as number, other[row] as number];
      const source = high >>> (END_BITS - LOW_END_BITS);
      const lowEnd = low >>> SERVICE_BITS;
      const destination = ((high << LOW_END_BITS) | lowEnd) & (MOST_NUMBERS.ends - 1);
      const isAll = both.has(source) || both.has(destination);
      if (isAll || own.has(source)) this.#source[row] = undefined;
      if (isAll || own.has(destination)) this.#destination[row] = undefined;
    }
  }
}
