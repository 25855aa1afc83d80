import { z } from 'zod';
import { Description, Version, VlanTag } from './fields';

const editable = {
  name: z
    .string()
    .trim()
    .min(1, 'Enter a name.')
    .max(100, 'At most 100 characters.')
    .regex(/^[^\p{C}]*$/u, 'Remove control characters.'),
  vlan_tag: VlanTag.nullable(),
  description: Description,
};

/** A network created manually, for prefixes that belong to no bridge or virtual network of the cluster. */
export const NetworkInput = z.strictObject({
  cluster_id: z.uuid(),
  name: editable.name,
  vlan_tag: editable.vlan_tag.default(null),
  description: editable.description.default(''),
});
export type NetworkInput = z.output<typeof NetworkInput>;

/** Of networks that the cluster made only the description can be changed. */
export const NetworkUpdate = z.strictObject({ ...editable, version: Version }).partial();
export type NetworkUpdate = z.output<typeof NetworkUpdate>;
