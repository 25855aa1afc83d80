/** One choice of a select, combobox or facet. */
export type Option<V extends string = string> = {
  value: V;
  label: string;
  /** A second line in the list. */
  description?: string;
  /** Why it cannot be chosen now. */
  disabledReason?: string;
};
