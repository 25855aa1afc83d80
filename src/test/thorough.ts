/**
 * How often something is tried with random input: in the suite as often as finds a fault that was planted, and
 * with `FABRIC_TEST_THOROUGH=true` as often as an hour allows that somebody spends on it.
 */
export const timesTried = (suite: number, thorough: number): number =>
  process.env.FABRIC_TEST_THOROUGH === 'true' ? thorough : suite;
