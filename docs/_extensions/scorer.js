// How the results of the search are ordered, in place of Sphinx's own weights, which these are but for one thing: pages
// that say how something is done come before others, and pages of decisions come last.
const ADDED = { "how-to": 3, tutorials: 3, decisions: -100 };

var Scorer = {
    score: ([docname, title, anchor, descr, score]) => score + (ADDED[docname.split("/")[0]] || 0),
    objNameMatch: 11,
    objPartialMatch: 6,
    objPrio: { 0: 15, 1: 5, 2: -5 },
    objPrioDefault: 0,
    title: 15,
    partialTitle: 7,
    term: 5,
    partialTerm: 2,
};
