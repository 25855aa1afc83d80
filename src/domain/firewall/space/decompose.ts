import { evaluate } from '../evaluate';
import { evaluateNode } from '../evaluate-node';
import type { NodeVerdict } from '../node-verdict';
import type { Packet } from '../packet';
import { narrowGuest, type PreparedGuest } from '../prepare-guest';
import type { PreparedNodeFilter } from '../prepare-node-filter';
import type { Verdict } from '../verdict';
import { findAskedRules } from './asked-rules';
import { addBits } from './bits';
import { type Addresses, type Box, KINDS } from './box';
import { buildPlan, type Plan } from './dimensions';
import { buildField, type End, type EndClasses, type Field, getEndClasses } from './field';
import { guestStages } from './guest-cuts';
import { nodeStages } from './node-cuts';
import { type Piece, walk } from './walk';

/** A set of packets that a filter treats alike: with the same verdict, decided by the same. */
export class Part<V> {
  readonly #field: Field;
  readonly #piece: Piece;
  #box: Box | undefined;

  /** @param packet one of them, on which the verdict was found */
  constructor(
    field: Field,
    piece: Piece,
    readonly packet: Packet,
    readonly verdict: V,
  ) {
    this.#field = field;
    this.#piece = piece;
  }

  /** Computed when first read. A class, since an object with a getter of its own has a hidden class of its own, and takes twice the time. */
  get box(): Box {
    this.#box ??= this.#field.boxOf(this.#piece);
    return this.#box;
  }

  /** Its addresses of one end, in the classes of its field. */
  getEnd(end: End): EndClasses & { readonly field: Field } {
    return { field: this.#field, ...getEndClasses(this.#piece, end) };
  }
}

/**
 * The addresses of one end by the answer to packets that have them, whatever else these packets have. Sets may overlap. Reading the
 * boxes of all parts instead takes several times as long.
 */
export function gatherAddresses<V, A extends string>(
  parts: Iterable<Part<V>>,
  end: End,
  toAnswer: (verdict: V) => A,
): { answer: A; addresses: Addresses }[] {
  const byField = new Map<Field, Map<string, EndClasses & { readonly answer: A }>>();
  for (const part of parts) {
    const { field, classes, octet } = part.getEnd(end);
    const answer = toAnswer(part.verdict);
    const own = byField.get(field) ?? new Map<string, EndClasses & { readonly answer: A }>();
    byField.set(field, own);
    const key = `${answer} ${octet[0]}`;
    const known = own.get(key);
    if (known) addBits(known.classes, classes);
    else own.set(key, { answer, classes: classes.slice(), octet });
  }
  return [...byField].flatMap(([field, own]) =>
    [...own.values()].map(({ answer, ...classes }) => ({ answer, addresses: field.addressesOf(end, classes) })),
  );
}

const plans = new WeakMap<object, Map<string, Plan>>();

/** The plan of a prepared filter, which does not depend on the packets in question. */
export function getCachedPlan(prepared: object, key: string, build: () => Plan): Plan {
  const own = plans.get(prepared) ?? new Map<string, Plan>();
  plans.set(prepared, own);
  const plan = own.get(key) ?? build();
  own.set(key, plan);
  return plan;
}

/** Divides a box into parts by the steps of a plan. They are apart from each other and together the box. */
export function* divideBox<V>(
  plan: Plan,
  direction: 'in' | 'out',
  box: Box,
  decide: (packet: Packet) => V,
): Generator<Part<V>> {
  const stages = plan.stages.map((cuts) => ({ cuts, selects: false }));
  for (const kind of KINDS) {
    const field = buildField(plan, box, kind, direction);
    if (!field) continue;
    for (const piece of walk(field.start, stages, field.octets)) {
      const packet = field.packetOf(piece);
      yield new Part(field, piece, packet, decide(packet));
    }
  }
}

/**
 * Divides new connections of one direction into parts that the guest's filter treats alike, each decided by `evaluate` on one
 * packet of it. Neighboring parts may have the same verdict.
 * @param keeps whether the plan stays with the guest, for the next question: that of 200 rules has 100 KB and more
 */
export function decompose(
  guest: PreparedGuest,
  direction: 'in' | 'out',
  box: Box,
  keeps = true,
): Generator<Part<Verdict>> {
  const { family } = box;
  const key = `${direction}${family}`;
  const build = () => buildPlan(guestStages(guest, direction, family), family);
  const plan = keeps ? getCachedPlan(guest, key, build) : (plans.get(guest)?.get(key) ?? build());
  return divideBox(plan, direction, box, (packet) => evaluate(guest, packet));
}

/** Services of which a guest is kept prepared. */
const MAX_KEPT = 4;
const narrowed = new WeakMap<PreparedGuest, Map<string, PreparedGuest>>();

/**
 * The same for a question about many guests: of a guest that is not prepared yet, only rules that may match some packet of the
 * box are. A few of two hundred is the usual case.
 */
export function decomposeAsked(
  guest: PreparedGuest,
  direction: 'in' | 'out',
  box: Box,
  keeps = true,
): Generator<Part<Verdict>> {
  if (plans.get(guest)?.has(`${direction}${box.family}`)) return decompose(guest, direction, box, keeps);
  const asked = findAskedRules(box);
  // Compiled rules of a guest have 100 KB and more as well: where they are not to stay, they belong to a copy.
  if (!asked) return decompose(keeps ? guest : narrowGuest(guest, () => true), direction, box, keeps);
  const own = narrowed.get(guest) ?? new Map<string, PreparedGuest>();
  narrowed.set(guest, own);
  const narrow = own.get(asked.key) ?? narrowGuest(guest, asked.isAsked);
  own.delete(asked.key);
  own.set(asked.key, narrow);
  for (const oldest of own.keys()) {
    if (own.size <= MAX_KEPT) break;
    own.delete(oldest);
  }
  return decompose(narrow, direction, box);
}

/** The same for packets of a node itself, each part decided by `evaluateNode`. */
export function decomposeNode(
  filter: PreparedNodeFilter,
  direction: 'in' | 'out',
  box: Box,
): Generator<Part<NodeVerdict>> {
  const { family } = box;
  const plan = getCachedPlan(filter, `${direction}${family}`, () =>
    buildPlan(nodeStages(filter, direction, family), family),
  );
  return divideBox(plan, direction, box, (packet) => evaluateNode(filter, packet));
}
