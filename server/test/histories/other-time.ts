/** For the gate that records a data folder, and for the one that opens it years later: it begins at the time in `SLUICE_TEST_TIME`. */
const begin = Number(process.env['SLUICE_TEST_TIME'])
Date.now = () => begin + Math.round(performance.now())
