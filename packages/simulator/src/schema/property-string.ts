import { checkValue, type ParamSpec } from './param-spec';

/** One key of a property string (`virtio=..,bridge=vmbr0`). */
export type PropertySpec = ParamSpec & {
  /** The key may be given without `key=`. */
  defaultKey?: boolean;
};

export type PropertyStringSpec = {
  properties: Record<string, PropertySpec>;
  /** Keys that set two others together: `virtio=<mac>` means `model=virtio,macaddr=<mac>`. */
  keyAliases?: { names: readonly string[]; keyProperty: string; valueProperty: string };
};

export type PropertyValues = Record<string, string>;

const BOOLEANS: Record<string, string> = {
  '1': '1',
  on: '1',
  yes: '1',
  true: '1',
  '0': '0',
  off: '0',
  no: '0',
  false: '0',
};

const NOT_DEFINED = 'property is not defined in schema and the schema does not allow additional properties';

/** Parses like PVE: empty segments are skipped, blanks are not trimmed, unknown and duplicate keys are errors. */
export function parsePropertyString(
  spec: PropertyStringSpec,
  text: string,
): { values: PropertyValues } | { error: string } {
  const values: PropertyValues = {};
  const set = (key: string, value: string): string | undefined => {
    if (values[key] !== undefined) return `duplicate key in comma-separated list property: ${key}`;
    values[key] = value;
    return undefined;
  };
  for (const segment of text.split(',')) {
    if (segment === '') continue;
    const equals = segment.indexOf('=');
    const error = equals < 0 ? setDefault(spec, segment, set) : setPair(spec, segment, equals, set);
    if (error !== undefined) return { error };
  }
  const problems: string[] = [];
  for (const [key, value] of Object.entries(values)) {
    const property = spec.properties[key];
    if (!property) {
      problems.push(`${key}: ${NOT_DEFINED}`);
      continue;
    }
    const plain = property.type === 'boolean' ? (BOOLEANS[value.toLowerCase()] ?? value) : value;
    const problem = checkValue(property, plain);
    if (problem !== undefined) problems.push(`${key}: ${problem.trimEnd()}`);
    values[key] = plain;
  }
  for (const [key, property] of Object.entries(spec.properties)) {
    if (!property.optional && values[key] === undefined) {
      problems.push(`${key}: property is missing and it is not optional`);
    }
  }
  if (problems.length > 0) return { error: `format error\n${problems.join('\n')}` };
  return { values };
}

type SetValue = (key: string, value: string) => string | undefined;

const setDefault = (spec: PropertyStringSpec, value: string, set: SetValue) => {
  const key = Object.keys(spec.properties).find((name) => spec.properties[name]?.defaultKey);
  return key === undefined ? 'value without key, but schema does not define a default key' : set(key, value);
};

const setPair = (spec: PropertyStringSpec, segment: string, equals: number, set: SetValue) => {
  const key = segment.slice(0, equals);
  const value = segment.slice(equals + 1);
  const alias = spec.keyAliases;
  if (alias?.names.includes(key)) return set(alias.keyProperty, key) ?? set(alias.valueProperty, value);
  return set(key, value);
};

/** Prints in canonical order: the alias pair or required keys first, the others by name. */
export function printPropertyString(spec: PropertyStringSpec, values: PropertyValues): string {
  const alias = spec.keyAliases;
  const parts: string[] = [];
  const done = new Set<string>();
  if (alias) {
    const key = values[alias.keyProperty];
    const value = values[alias.valueProperty];
    if (key !== undefined && value !== undefined) {
      parts.push(`${key}=${value}`);
      done.add(alias.keyProperty).add(alias.valueProperty);
    }
  }
  const rank = (key: string) => (spec.properties[key]?.optional ? 1 : 0);
  const keys = Object.keys(values).sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
  for (const key of keys) {
    if (done.has(key)) continue;
    parts.push(spec.properties[key]?.defaultKey ? `${values[key]}` : `${key}=${values[key]}`);
  }
  return parts.join(',');
}
