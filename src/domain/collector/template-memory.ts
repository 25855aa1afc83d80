/** One field of a template. */
export type TemplateField = {
  id: number;
  /** Private enterprise number; 0: none. */
  enterprise: number;
  /** In bytes; `VARIABLE`: each record has its own length. */
  length: number;
};
export const VARIABLE = 65_535;

export type Template = {
  fields: readonly TemplateField[];
  /** How many of the first fields say what an options record is about; null: a template of data. */
  scopes: number | null;
  /** Bytes of the shortest record, at least 1. */
  shortest: number;
};

/** What an observation domain of an exporter announced. */
export type Domain = {
  templates: Map<number, Template & { seen_ms: number }>;
  /** Fields of all of them. */
  fields: number;
  /** Of so many packets one is sampled, by sampler, by interface, or (empty key) all. */
  samplings: Map<string, number>;
  /** When the exporter's clock of up time began, in milliseconds since 1970; null: it does not say. */
  started_ms: number | null;
  seen_ms: number;
};

export const TEMPLATE_LIMITS = {
  domains: 16,
  /** Open vSwitch announces about 240 templates of 45 fields. */
  templates_per_domain: 1024,
  fields_per_template: 128,
  fields_per_domain: 16_384,
  samplings_per_domain: 256,
  /** Exporters repeat templates every few minutes, half an hour at most by default. */
  lifetime_ms: 2 * 3_600_000,
} as const;

/** The key of the first of the oldest. */
function findOldest<K>(map: Map<K, { seen_ms: number }>): K | undefined {
  let oldest: K | undefined;
  let at = Number.POSITIVE_INFINITY;
  for (const [key, { seen_ms }] of map) {
    if (seen_ms < at) [oldest, at] = [key, seen_ms];
  }
  return oldest;
}

/** What one exporter announced about its records: bounded, and forgotten when it is not repeated. */
export class TemplateMemory {
  readonly #domains = new Map<string, Domain>();

  /** @param id of the observation domain, with the protocol, because their template numbers are independent */
  domain(id: string, now: number): Domain {
    const known = this.#domains.get(id);
    if (known) {
      known.seen_ms = now;
      return known;
    }
    if (this.#domains.size >= TEMPLATE_LIMITS.domains) this.#domains.delete(findOldest(this.#domains) ?? '');
    const made: Domain = { templates: new Map(), fields: 0, samplings: new Map(), started_ms: null, seen_ms: now };
    this.#domains.set(id, made);
    return made;
  }

  get size(): number {
    return this.#domains.size;
  }
}

export function forgetTemplate(domain: Domain, id: number): void {
  domain.fields -= domain.templates.get(id)?.fields.length ?? 0;
  domain.templates.delete(id);
}

/** Remembers a template instead of one with the same number. One that cannot be read from is forgotten. */
export function setTemplate(domain: Domain, id: number, template: Omit<Template, 'shortest'>, now: number): void {
  const shortest = template.fields.reduce((sum, { length }) => sum + (length === VARIABLE ? 1 : length), 0);
  forgetTemplate(domain, id);
  const added = template.fields.length;
  if (shortest === 0 || added > TEMPLATE_LIMITS.fields_per_template) return;
  while (
    domain.templates.size >= TEMPLATE_LIMITS.templates_per_domain ||
    domain.fields + added > TEMPLATE_LIMITS.fields_per_domain
  ) {
    forgetTemplate(domain, findOldest(domain.templates) ?? id);
  }
  domain.templates.set(id, { ...template, shortest, seen_ms: now });
  domain.fields += added;
}

/** A template that was announced, and repeated, recently enough. */
export function findTemplate(domain: Domain, id: number, now: number): Template | null {
  const found = domain.templates.get(id);
  if (!found) return null;
  if (now - found.seen_ms <= TEMPLATE_LIMITS.lifetime_ms) return found;
  forgetTemplate(domain, id);
  return null;
}

export function setSampling(domain: Domain, key: string, sampling: number): void {
  if (!domain.samplings.has(key) && domain.samplings.size >= TEMPLATE_LIMITS.samplings_per_domain) return;
  domain.samplings.set(key, sampling);
}
