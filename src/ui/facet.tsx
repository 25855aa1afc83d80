'use client';
import type { RemoteSearch } from './combobox-popup';
import { FacetMenu } from './facet-menu';
import { FacetSearch } from './facet-search';
import type { Option } from './option';

export type FacetProps = {
  label: string;
  options: readonly Option[];
  /** Chosen values; none means no restriction. */
  value: readonly string[];
  onValueChange: (value: string[]) => void;
  /** Only one at a time. */
  single?: boolean;
  /** The options are found by the server; the chosen ones must be among `options` to show their names. */
  remote?: RemoteSearch;
};

/** From here on a list is searched rather than read. */
const LONG = 12;

/** A filter by one field. The button says what is chosen. */
export function Facet(props: FacetProps) {
  return props.remote || props.options.length > LONG ? <FacetSearch {...props} /> : <FacetMenu {...props} />;
}
