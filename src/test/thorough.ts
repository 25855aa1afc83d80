/** How many random inputs a test tries: `suite` in every run, `thorough` with `FABRIC_TEST_THOROUGH=true`. */
export const getRunCount = (suite: number, thorough: number): number =>
  process.env.FABRIC_TEST_THOROUGH === 'true' ? thorough : suite;
