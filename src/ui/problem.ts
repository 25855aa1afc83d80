/** One refused input: dotted path of the field as it was sent, and what to do about it. */
export type FieldProblem = { field: string; message: string };

/** What the interface shows of a failure; the members of problem+json that are for people. */
export type Problem = {
  title: string;
  detail?: string | undefined;
  status?: number | undefined;
  code?: string | undefined;
  request_id?: string | undefined;
  errors?: readonly FieldProblem[] | undefined;
};
