import { type GuestType, nicFormat } from './guest-nic';
import type { ParamSpec, ParamSpecs } from './param-spec';

/** Spells out `net[n]` as `net0`, `net1`, … and makes every option optional, as in an update call. */
export function numberedOptions(type: GuestType, plain: ParamSpecs, numbered: Record<string, number>): ParamSpecs {
  const specs: ParamSpecs = {};
  for (const [name, spec] of Object.entries(plain)) specs[name] = { ...spec, optional: true };
  for (const [name, count] of Object.entries(numbered)) {
    for (let index = 0; index < count; index++) {
      const spec: ParamSpec = { type: 'string', optional: true };
      if (name === 'net') spec.format = nicFormat(type, index);
      specs[`${name}${index}`] = spec;
    }
  }
  return specs;
}
