/**
 * Where functions take a time zone or the name of a type, found by trying every allowed function of the engine with
 * each number of arguments. Names in lower case, positions from 0. A test compares them with the engine's own texts.
 */

const ZONE_POSITIONS: Readonly<Record<number, string>> = {
  0: 'now nowinblock current_timestamp localtimestamp datetime datetime32 datetime64',
  1: `date datetime64 day dayofmonth dayofyear from_utc_timestamp fromunixtimestamp64micro fromunixtimestamp64milli
  fromunixtimestamp64nano fromunixtimestamp64second fromutctimestamp hour last_day microsecond millisecond minute month
  nanosecond now64 nowinblock64 parsedatetime32besteffort parsedatetime32besteffortornull
  parsedatetime32besteffortorzero parsedatetimebesteffort parsedatetimebesteffortornull parsedatetimebesteffortorzero
  parsedatetimebesteffortus parsedatetimebesteffortusornull parsedatetimebesteffortusorzero quarter second timeslot
  timezoneoffset to_days to_utc_timestamp todate todate32 todatetime todatetime32 todatetimeordefault todatetimeornull
  todatetimeorzero todayofmonth todayofyear todaysinmonth todayssinceyearzero tohour toisoweek toisoyear
  tolastdayofmonth tomicrosecond tomillisecond tominute tomonday tomonth tomonthnumsinceepoch tonanosecond toquarter
  torelativedaynum torelativehournum torelativeminutenum torelativemonthnum torelativequarternum torelativesecondnum
  torelativeweeknum torelativeyearnum tosecond tostartofday tostartoffifteenminutes tostartoffiveminute
  tostartoffiveminutes tostartofhour tostartofisoyear tostartofmicrosecond tostartofmillisecond tostartofminute
  tostartofmonth tostartofnanosecond tostartofquarter tostartofsecond tostartoftenminutes tostartofyear tostring
  totimewithfixeddate totimezone tounixtimestamp toutctimestamp toyear toyearnumsinceepoch toyyyymm toyyyymmdd
  toyyyymmddhhmmss uuidv7todatetime year yyyymmddhhmmsstodatetime`,
  2: `adddays addhours addmicroseconds addmilliseconds addminutes addmonths addnanoseconds addquarters addseconds
  addweeks addyears date_bin date_format date_trunc datename datetrunc dayofweek formatdatetime
  formatdatetimeinjodasyntax from_unixtime fromunixtimestamp fromunixtimestampinjodasyntax parsedatetime parsedatetime64
  parsedatetime64besteffort parsedatetime64besteffortornull parsedatetime64besteffortorzero parsedatetime64besteffortus
  parsedatetime64besteffortusornull parsedatetime64besteffortusorzero parsedatetime64injodasyntax
  parsedatetime64injodasyntaxornull parsedatetime64injodasyntaxorzero parsedatetime64ornull parsedatetime64orzero
  parsedatetimebesteffort parsedatetimebesteffortornull parsedatetimebesteffortorzero parsedatetimeinjodasyntax
  parsedatetimeinjodasyntaxornull parsedatetimeinjodasyntaxorzero parsedatetimeornull parsedatetimeorzero
  snowflakeidtodatetime snowflakeidtodatetime64 str_to_date subtractdays subtracthours subtractmicroseconds
  subtractmilliseconds subtractminutes subtractmonths subtractnanoseconds subtractquarters subtractseconds
  subtractweeks subtractyears time_bucket to_unixtime todatetime todatetime64 todatetime64ordefault todatetime64ornull
  todatetime64orzero todatetimeordefault todayofweek tolastdayofweek tostartofinterval tostartofweek toweek toyearweek
  tumble tumbleend tumblestart week windowid yearweek yyyymmddhhmmsstodatetime64`,
  3: `age date_bin date_diff datediff hop hopend hopstart time_bucket timestamp_diff timestampdiff tostartofinterval
  windowid`,
  6: 'makedatetime',
  8: 'makedatetime64',
};

/** The positions at which a function or a type takes a time zone. */
export const ZONE_ARGUMENTS: ReadonlyMap<string, readonly number[]> = positionsByName();

/** The position at which a function takes the name of a type; -1 is the last one. */
export const TYPE_ARGUMENTS: ReadonlyMap<string, number> = new Map([
  ...['cast', 'accuratecast', 'accuratecastordefault', 'accuratecastornull', 'try_cast'].map(
    (name) => [name, 1] as const,
  ),
  ...['reinterpret', 'dynamicelement', 'variantelement'].map((name) => [name, 1] as const),
  ['defaultvalueoftypename', 0],
  ...['', 'keysandvalues'].flatMap((part) =>
    ['', 'caseinsensitive'].map((suffix) => [`jsonextract${part}${suffix}`, -1] as const),
  ),
]);

/** Functions whose value is a date, so that it cannot be the name of a zone. */
export const DATE_FUNCTIONS: ReadonlySet<string> = new Set(
  'date now now64 today todate todate32 todatetime todatetime64 tostartofday yesterday'.split(' '),
);

function positionsByName(): Map<string, number[]> {
  const found = new Map<string, number[]>();
  for (const [position, names] of Object.entries(ZONE_POSITIONS)) {
    for (const name of names.split(/\s+/)) found.set(name, [...(found.get(name) ?? []), Number(position)]);
  }
  return found;
}
