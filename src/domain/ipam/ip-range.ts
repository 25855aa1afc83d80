import { z } from 'zod';
import { RANGE_KINDS } from '../choices';
import { createPageSchema, listInput } from '../list';
import { AddressText, Description, Version } from './fields';

/** Addresses that DHCP hands out or that are kept for something: the next free address is never one of them. */
export const IpRange = z.object({
  id: z.uuid(),
  subnet_id: z.uuid(),
  subnet_cidr: z.string(),
  network_id: z.uuid(),
  kind: z.enum(RANGE_KINDS),
  first_address: z.string(),
  last_address: z.string(),
  /** Decimal text. */
  size: z.string(),
  description: z.string(),
  version: z.int(),
  created_at: z.string(),
  updated_at: z.string(),
});
export type IpRange = z.output<typeof IpRange>;

export const RANGE_SORTS = ['first_address', 'kind', 'created_at'] as const;
export const RangeListInput = listInput(RANGE_SORTS, {
  subnet_id: z.uuid().optional(),
  network_id: z.uuid().optional(),
  kind: z.enum(RANGE_KINDS).optional(),
});
export type RangeListInput = z.output<typeof RangeListInput>;
export const RangePage = createPageSchema(IpRange);

const editable = {
  kind: z.enum(RANGE_KINDS, { error: `One of ${RANGE_KINDS.join(', ')}.` }),
  first_address: AddressText,
  last_address: AddressText,
  description: Description,
};
export const RangeInput = z.strictObject({
  subnet_id: z.uuid(),
  ...editable,
  description: editable.description.default(''),
});
export type RangeInput = z.output<typeof RangeInput>;
export const RangeUpdate = z.strictObject({ ...editable, version: Version }).partial();
export type RangeUpdate = z.output<typeof RangeUpdate>;
