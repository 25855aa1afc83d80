/** What a live managed rule says about itself in its comment. */
export type Marker = {
  /** Installation that wrote it. */
  readonly instance: string;
  readonly policy_id: string;
  readonly version: number;
  /** Hash of the rule's own content, without the marker. */
  readonly rule_hash: string;
  readonly vmid: number;
};

const SHAPE =
  /^\[fabric i=([A-Za-z0-9_-]{1,36}) p=([A-Za-z0-9_-]{1,36}) v=([1-9]\d{0,9}) r=([0-9a-f]{8,32}) g=([1-9]\d{2,8})\](?: .*)?$/;

/**
 * The text that marks a rule as managed; it fits any comment, is ASCII, and has neither `#` nor control characters.
 * @throws RangeError when a part could not be read back
 */
export function formatMarker({ instance, policy_id, version, rule_hash, vmid }: Marker): string {
  const text = `[fabric i=${instance} p=${policy_id} v=${version} r=${rule_hash} g=${vmid}]`;
  if (!SHAPE.test(text)) throw new RangeError(`expected a marker: ${text}`);
  return text;
}

/**
 * Reads the marker at the start of a comment. Strict: users edit comments, and a comment without an exact marker
 * makes the rule unmanaged. A blank and free text may follow.
 */
export function parseMarker(comment: string | undefined): Marker | null {
  const [, instance, policy_id, version, rule_hash, vmid] = SHAPE.exec(comment ?? '') ?? [];
  if (instance === undefined || policy_id === undefined || rule_hash === undefined) return null;
  return { instance, policy_id, version: Number(version), rule_hash, vmid: Number(vmid) };
}

/** Matches a text with a marker of one of these policies: a comment, or all rules as JSON. At least one id; a million comments take 0.1 s. */
export const makeMarkerPattern = (policyIds: readonly string[]): RegExp =>
  new RegExp(` p=(?:${policyIds.join('|')}) v=`);

/**
 * 64-bit hash of a text as 16 hexadecimal digits, the same on every machine. It distinguishes contents; it is no
 * protection against someone who searches for two texts with the same hash.
 */
export function contentHash(text: string): string {
  let a = 0xdeadbeef;
  let b = 0x41c6ce57;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    a = Math.imul(a ^ unit, 2654435761);
    b = Math.imul(b ^ unit, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return [a, b].map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('');
}
