// Whole-tensor expressions: `z = x + y` is Add(z, x, y, size of z), `z = x < y` is Compare, and so on.
//
// An operator takes no further argument, so findings of these calls carry the line of the call before it.
#pragma once

#include "twin/api/vector_binary.h"
#include "twin/api/vector_compare.h"

namespace twin {

/// An operation waiting for its destination.
template <class T, class Call>
struct Expression {
    AscendC::LocalTensor<T> first, second;

    template <class U>
    auto store(AscendC::LocalTensor<U>& target) const -> decltype(Call{}(target, first, second)) {
        return Call{}(target, first, second);
    }
};

template <AscendC::CMPMODE mode>
struct CompareCall {
    template <class U, class T>
    auto operator()(AscendC::LocalTensor<U>& target, const AscendC::LocalTensor<T>& first,
                    const AscendC::LocalTensor<T>& second) const -> std::enable_if_t<sizeof(U) == 1> {
        AscendC::Compare(target, first, second, mode, first.GetSize(), after_last_call());
    }
};

#define TWIN_OPERATOR_CALL(NAME)                                                                             \
    struct NAME##Call {                                                                                      \
        template <class T>                                                                                   \
        void operator()(AscendC::LocalTensor<T>& target, const AscendC::LocalTensor<T>& first,               \
                        const AscendC::LocalTensor<T>& second) const {                                       \
            AscendC::NAME(target, first, second, static_cast<int32_t>(target.GetSize()), after_last_call()); \
        }                                                                                                    \
    };

TWIN_OPERATOR_CALL(Add)
TWIN_OPERATOR_CALL(Sub)
TWIN_OPERATOR_CALL(Mul)
TWIN_OPERATOR_CALL(Div)
TWIN_OPERATOR_CALL(And)
TWIN_OPERATOR_CALL(Or)

#undef TWIN_OPERATOR_CALL

}  // namespace twin

namespace AscendC {

#define TWIN_OPERATOR(SYMBOL, CALL)                                                                        \
    template <typename T>                                                                                  \
    twin::Expression<T, CALL> operator SYMBOL(const LocalTensor<T>& first, const LocalTensor<T>& second) { \
        return {first, second};                                                                            \
    }

TWIN_OPERATOR(+, twin::AddCall)
TWIN_OPERATOR(-, twin::SubCall)
TWIN_OPERATOR(*, twin::MulCall)
TWIN_OPERATOR(/, twin::DivCall)
TWIN_OPERATOR(&, twin::AndCall)
TWIN_OPERATOR(|, twin::OrCall)
TWIN_OPERATOR(<, twin::CompareCall<CMPMODE::LT>)
TWIN_OPERATOR(>, twin::CompareCall<CMPMODE::GT>)
TWIN_OPERATOR(<=, twin::CompareCall<CMPMODE::LE>)
TWIN_OPERATOR(>=, twin::CompareCall<CMPMODE::GE>)
TWIN_OPERATOR(==, twin::CompareCall<CMPMODE::EQ>)
TWIN_OPERATOR(!=, twin::CompareCall<CMPMODE::NE>)

#undef TWIN_OPERATOR

}  // namespace AscendC
