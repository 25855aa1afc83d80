import { parameterError } from '../pve-error';

/** Declaration of one request parameter, with the checks PVE's JSON schema performs. */
export type ParamSpec = {
  type: 'string' | 'integer' | 'boolean' | 'number';
  /** A parameter is required unless this is set. */
  optional?: boolean;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  enum?: readonly string[];
  pattern?: RegExp;
  /** Returns the text of the format error, or undefined when the value is fine. */
  format?: (value: string) => string | undefined;
  /** The parameter is only allowed together with this one. */
  requires?: string;
};

export type ParamSpecs = Record<string, ParamSpec>;
export type Params = Record<string, string>;

const UNKNOWN = 'property is not defined in schema and the schema does not allow additional properties';

const typeMatches = (type: ParamSpec['type'], value: string): boolean => {
  if (type === 'integer') return /^[+-]?\d+$/.test(value);
  if (type === 'number') return /^[+-]?\d+(\.\d+)?$/.test(value);
  if (type === 'boolean') return value === '0' || value === '1';
  return true;
};

/** The error text of one value, in the server's order: type, format, pattern, lengths, bounds, enumeration. */
export function checkValue(spec: ParamSpec, value: string): string | undefined {
  if (!typeMatches(spec.type, value)) return `type check ('${spec.type}') failed - got '${value}'`;
  const formatError = spec.format?.(value);
  if (formatError !== undefined) return `invalid format - ${formatError}\n`;
  // Perl's $ also matches before one trailing line feed: that is how a line feed gets past an anchored pattern.
  if (spec.pattern && !spec.pattern.test(value.replace(/\n$/, ''))) return 'value does not match the regex pattern';
  if (spec.maxLength !== undefined && value.length > spec.maxLength) {
    return `value may only be ${spec.maxLength} characters long`;
  }
  if (spec.minLength !== undefined && value.length < spec.minLength) {
    return `value must be at least ${spec.minLength} characters long`;
  }
  const number = Number(value);
  if (spec.minimum !== undefined && number < spec.minimum) return `value must have a minimum value of ${spec.minimum}`;
  if (spec.maximum !== undefined && number > spec.maximum) return `value must have a maximum value of ${spec.maximum}`;
  if (spec.enum && !spec.enum.includes(value)) {
    return `value '${value}' does not have a value in the enumeration '${spec.enum.join(', ')}'`;
  }
  return undefined;
}

/** All errors of a set of values, by parameter. An indexed option (`net[n]`) is declared once per number. */
export function collectErrors(specs: ParamSpecs, params: Params): Record<string, string> {
  const errors: Record<string, string> = {};
  for (const [name, value] of Object.entries(params)) {
    const spec = specs[name];
    const error = spec ? checkValue(spec, value) : UNKNOWN;
    if (error !== undefined) errors[name] = error;
    else if (spec?.requires && params[spec.requires] === undefined) {
      errors[spec.requires] = `missing property - '${name}' requires this property`;
    }
  }
  for (const [name, spec] of Object.entries(specs)) {
    if (!spec.optional && params[name] === undefined) errors[name] = 'property is missing and it is not optional';
  }
  return errors;
}

/** Throws the 400 of the first call whose parameters do not fit their declaration. */
export function verifyParams(specs: ParamSpecs, params: Params): void {
  const errors = collectErrors(specs, params);
  if (Object.keys(errors).length > 0) throw parameterError(errors);
}
