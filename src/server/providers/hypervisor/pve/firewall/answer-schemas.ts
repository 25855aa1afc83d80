import { z } from 'zod';
import { countField, integerField } from '../answers/fields';

const MAX_TEXT = 20_000;
// Compared byte for byte with what was written, so nothing is cut or replaced.
const text = z.string().max(MAX_TEXT).optional();
const errors = z.record(z.string(), z.string().max(MAX_TEXT)).optional();

/** A list's own digest is in each of its elements; an empty list has the digest of nothing. */
export const EMPTY_DIGEST = 'da39a3ee5e6b4b0d3255bfef95601890afd80709';
export const Digest = z.string().regex(/^[0-9a-f]{40}$/);

export const RuleAnswer = z.object({
  pos: integerField,
  type: z.string().max(20),
  action: z.string().max(100),
  enable: countField.optional(),
  iface: text,
  macro: text,
  source: text,
  dest: text,
  proto: text,
  sport: text,
  dport: text,
  'icmp-type': text,
  log: text,
  comment: text,
  errors,
  digest: Digest,
});

export const OptionsAnswer = z.object({
  enable: countField.optional(),
  policy_in: text,
  policy_out: text,
  dhcp: countField.optional(),
  ndp: countField.optional(),
  radv: countField.optional(),
  macfilter: countField.optional(),
  ipfilter: countField.optional(),
  ips: countField.optional(),
  digest: Digest,
});

export const SetNameAnswer = z.object({ name: z.string().min(1).max(100) });
export const SetEntryAnswer = z.object({
  cidr: z.string().max(200),
  nomatch: countField.optional(),
  errors,
  digest: Digest,
});
export const AliasAnswer = z.object({ name: z.string().min(1).max(100), cidr: z.string().max(200) });
export const GroupAnswer = z.object({ group: z.string().min(1).max(100) });
